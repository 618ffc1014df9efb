import numpy as np
import pytest
import torch

from antireg.paper.data.resnet import Block, ResNet50, prepare


def test_pictures_turn_blue_first_and_lose_the_mean():
    picture = np.zeros((1, 224, 224, 3), np.uint8)
    picture[..., 0], picture[..., 2] = 200, 50
    prepared = prepare(picture)
    assert prepared.shape == (1, 3, 224, 224)
    corner = [50 - 103.939, 0 - 116.779, 200 - 123.68]
    assert prepared[0, :, 0, 0].tolist() == pytest.approx(corner, abs=1e-4)


def test_network_has_the_weights_of_keras():
    network = ResNet50()
    # Keras counts 23 587 712 with the running means and variances.
    n_weights = sum(w.numel() for w in network.parameters())
    running = [b for name, b in network.named_buffers() if "running" in name]
    assert n_weights + sum(b.numel() for b in running) == 23_587_712


def test_a_stage_strides_in_its_first_convolution():
    block = Block(8, 4, stride=2)
    assert block.narrow.conv.stride == block.shortcut.conv.stride == (2, 2)
    assert block.around.conv.stride == (1, 1)
    assert block(torch.zeros(1, 8, 6, 6)).shape == (1, 16, 3, 3)


def test_features_are_2048_and_never_negative():
    with torch.inference_mode():
        features = ResNet50().eval()(torch.randn(1, 3, 64, 64))
    assert features.shape == (1, 2048)
    assert (features >= 0).all()
