"""
A network that is trained already
=================================

`from_networks` runs a network as it is: no weight is drawn or changed. It needs rows
that the network was not trained on, to calibrate it, and some that it was, to compare
new rows with.
"""

import matplotlib.pyplot as plt
import torch
from sklearn.datasets import load_digits
from torch import nn

from antireg import from_networks

torch.manual_seed(0)
digits = load_digits()
images = torch.tensor(digits.images, dtype=torch.float32)[:, None] / 16
labels = torch.tensor(digits.target)
train, valid, test = slice(0, 1000), slice(1000, 1400), slice(1400, None)

net = nn.Sequential(
    nn.Conv2d(1, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.Flatten(), nn.Linear(576, 10)
)
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for _ in range(20):
    for rows in torch.randperm(1000).split(100):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(images[rows]), labels[rows])
        loss.backward()
        optimizer.step()

# %%
# `fit` trains nothing. Images keep their shape, (rows, 1, 8, 8).

model = from_networks(net, task="classification", random_state=0)
model.fit(images[valid], labels[valid], reference=images[train])
print(f"accuracy {model.score(images[test], labels[test]):.3f}")

# %%
# Digits as they are, upside down, and as negatives: the network always names a digit.

shown = [images[test], images[test].flip(2), 1 - images[test]]
names = ["as they are", "upside down", "negative"]
figure, panels = plt.subplots(1, 3, figsize=(7, 2.8))
for panel, rows, name in zip(panels, shown, names, strict=True):
    panel.imshow(rows[0, 0], cmap="gray_r")
    panel.set(title=f"{name}\nflagged: {model.is_ood(rows).mean():.0%}")
    panel.set_axis_off()
plt.show()
