import numpy as np
import torch

from antireg.paper.data import cifar_features
from antireg.paper.data.catalogue import get
from antireg.paper.data.images import cifar10_features
from antireg.paper.data.resnet32 import ResNet32
from antireg.paper.data.split import Rows

SIZES = {("cifar10", "train"): 5, ("cifar10", "test"): 1003}


def pictures(name, part):
    n = SIZES.get((name, part), 3)
    x = np.random.default_rng(n).integers(0, 256, (n, 32, 32, 3), np.uint8)
    return Rows(x, np.arange(n) % 10)


def test_features_are_made_when_they_are_asked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTIREG_DATA", str(tmp_path))
    torch.manual_seed(0)
    monkeypatch.setattr(cifar_features, "load_images", pictures)
    monkeypatch.setattr(cifar_features, "pretrained", ResNet32().eval)
    split = cifar10_features()
    assert [len(split.train), len(split.validation), len(split.test)] == [5, 1000, 3]
    assert split.train.y.tolist() == [0, 1, 2, 3, 4]
    assert split.ood["svhn"].x.shape == (3, 64)
    assert [p.name for p in (tmp_path / "cifar").iterdir()] == ["resnet32_features.npz"]
    assert get("cifar-features")["resnet32_features.npz"].exists()
