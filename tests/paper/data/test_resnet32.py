from pathlib import Path

import numpy as np
import pytest
import torch

from antireg.paper.data.catalogue import DATASETS
from antireg.paper.data.cifar_features import features
from antireg.paper.data.images import load_images
from antireg.paper.data.resnet32 import Block, ResNet32, prepare, pretrained

SHARED = Path(__file__).parents[4] / "shared" / "data"


def test_pictures_are_scaled_by_colour():
    picture = np.full((1, 32, 32, 3), 255, np.uint8)
    picture[..., 0] = 0
    expected = [-0.485 / 0.229, 0.544 / 0.224, 0.594 / 0.225]
    assert prepare(picture)[0, :, 5, 5].tolist() == pytest.approx(expected, abs=1e-6)


def test_the_shortcut_keeps_every_second_pixel_between_zeros():
    block = Block(2, 4, stride=2).eval()
    torch.nn.init.zeros_(block.bn2.weight)
    x = torch.arange(32.0).reshape(1, 2, 4, 4)
    out = block(x)
    assert out[0, 1].tolist() == [[0, 2], [8, 10]]
    assert out[0, 2].tolist() == [[16, 18], [24, 26]]
    assert out[0, [0, 3]].abs().sum() == 0


@pytest.mark.parametrize("form", ["npz", "th"])
def test_weights_are_read_from_either_file(tmp_path, monkeypatch, form):
    monkeypatch.setenv("ANTIREG_DATA", str(tmp_path))
    (tmp_path / "cifar").mkdir()
    state = ResNet32().state_dict()
    if form == "npz":
        arrays = {k: v.numpy() for k, v in state.items() if "tracked" not in k}
        np.savez(tmp_path / "cifar" / "resnet32_weights.npz", **arrays)
        network = pretrained()
    else:
        path = tmp_path / "cifar" / "resnet32-d509ac18.th"
        torch.save({"state_dict": {f"module.{k}": v for k, v in state.items()}}, path)
        monkeypatch.setattr("antireg.paper.data.files.checksum", lambda _, like: like)
        network = pretrained()
    assert not network.training
    assert (network.linear.weight == state["linear.weight"]).all()


def test_features_come_in_batches_but_do_not_depend_on_them():
    torch.manual_seed(0)
    network = ResNet32().eval()
    pictures = np.random.default_rng(0).integers(0, 256, (300, 32, 32, 3), np.uint8)
    whole = features(network, pictures)
    assert whole.shape == (300, 64)
    assert features(network, pictures[250:]) == pytest.approx(whole[250:], abs=1e-5)


@pytest.mark.slow
def test_public_weights_give_the_known_features(monkeypatch):
    if not SHARED.is_dir():
        pytest.skip(f"{SHARED} with the known features is not here")
    if DATASETS["cifar10"].find() is None:
        pytest.skip("the pictures are not in the cache: antireg data get cifar10")
    pictures = load_images("cifar10")
    monkeypatch.setenv("ANTIREG_DATA", str(SHARED))
    network = pretrained()
    ours = features(network, pictures.x)
    with np.load(SHARED / "cifar" / "resnet32_features.npz") as file:
        known, labels = file["cifar10_test"], file["cifar10_test_labels"]
    assert (labels == pictures.y).all()
    half_a_step = np.spacing(known).astype(np.float32) / 2
    assert (np.abs(ours - known) <= half_a_step + 1e-5).all()
    with torch.inference_mode():
        best = network.linear(torch.from_numpy(ours)).topk(2)
    # Of two classes that features 1e-5 apart may turn round, either may come first.
    unsure = (best.values[:, 0] - best.values[:, 1] < 1e-3).double().mean().item()
    right = (best.indices[:, 0].numpy() == pictures.y).mean()
    assert right == pytest.approx(0.9263, abs=unsure + 1e-9)
