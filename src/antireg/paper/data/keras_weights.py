"""Keras's published ResNet50 weights, from its .h5 file or the TensorFlow.js shards."""

from __future__ import annotations

import json
import tarfile
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from antireg.paper.data.catalogue import get
from antireg.paper.data.resnet import STAGES, ResNet50
from antireg.paper.data.split import Array

# By layer and weight, e.g. "conv1/kernel"; kernels are (height, width, in, out).
Tensors = dict[str, Array]


def pretrained() -> ResNet50:
    """Return the network with the ImageNet weights, ready to extract features."""
    ((name, path),) = get("resnet50").items()
    tensors = read_h5(path) if name.endswith(".h5") else read_shards(path)
    network = ResNet50()
    network.load_state_dict(to_state(tensors))
    return network.eval()


def read_shards(package: Path) -> Tensors:
    """Return the tensors of the npm package: one sequence of floats, cut into files."""
    folder = "package/ResNet50/"
    content = {}
    with tarfile.open(package) as tar:
        for member in tar:
            stream = tar.extractfile(member)
            if stream is not None and member.name.startswith(folder):
                content[member.name.removeprefix(folder)] = stream.read()
    (group,) = json.loads(content["model.json"])["weightsManifest"]
    floats = np.frombuffer(b"".join(content[p] for p in group["paths"]), "<f4")
    shapes = [weight["shape"] for weight in group["weights"]]
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    pieces = np.split(floats, ends[:-1])
    return {
        weight["name"]: piece.reshape(shape)
        for weight, piece, shape in zip(group["weights"], pieces, shapes, strict=True)
    }


def read_h5(path: Path) -> Tensors:
    """Return the tensors of the canonical file."""
    try:
        h5py = import_module("h5py")
    except ImportError as error:
        raise ImportError(
            "Reading Keras's .h5 weights needs h5py: pip install h5py."
        ) from error
    tensors: Tensors = {}

    def keep(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset):
            layer, weight = name.split("/")[0], name.split("/")[-1]
            tensors[f"{layer}/{weight.removesuffix(':0')}"] = item[()]

    with h5py.File(path) as file:
        file.visititems(keep)
    return tensors


def to_state(tensors: Tensors) -> dict[str, Tensor]:
    """Return Keras's tensors under our names and in torch's axes."""
    state = {}
    for ours, conv_names, norm_names in _layers():
        conv = next((n for n in conv_names if f"{n}/kernel" in tensors), conv_names[0])
        norm = next((n for n in norm_names if f"{n}/gamma" in tensors), norm_names[0])
        kernel = tensors[f"{conv}/kernel"].transpose(3, 2, 0, 1)
        state[f"{ours}.conv.weight"] = kernel
        state[f"{ours}.conv.bias"] = tensors[f"{conv}/bias"]
        state[f"{ours}.norm.weight"] = tensors[f"{norm}/gamma"]
        state[f"{ours}.norm.bias"] = tensors[f"{norm}/beta"]
        state[f"{ours}.norm.running_mean"] = tensors[f"{norm}/moving_mean"]
        state[f"{ours}.norm.running_var"] = tensors[f"{norm}/moving_variance"]
        state[f"{ours}.norm.num_batches_tracked"] = np.zeros((), np.int64)
    return {name: torch.from_numpy(np.array(w)) for name, w in state.items()}


def _layers() -> list[tuple[str, tuple[str, str], tuple[str, str]]]:
    """Return our name for each layer, with Keras's old and new names for its parts."""
    layers = [("stem", ("conv1", "conv1_conv"), ("bn_conv1", "conv1_bn"))]
    parts = (("shortcut", "1"), ("narrow", "2a"), ("around", "2b"), ("widen", "2c"))
    for stage, (_, depth, _) in enumerate(STAGES):
        for block in range(depth):
            for number, (ours, old) in enumerate(parts):
                if ours == "shortcut" and block > 0:
                    continue
                before = f"{stage + 2}{'abcdef'[block]}_branch{old}"
                after = f"conv{stage + 2}_block{block + 1}_{number}"
                conv = (f"res{before}", f"{after}_conv")
                norm = (f"bn{before}", f"{after}_bn")
                layers.append((f"stages.{stage}.{block}.{ours}", conv, norm))
    return layers
