"""
DARE in a Lightning loop
========================

`DareController` brings DARE to a training loop of your own. Here it is a callback of
Lightning, around a module that knows nothing of it. It needs
``pip install "antireg[examples]"``.
"""

import logging
import warnings

import matplotlib.pyplot as plt
import torch
from lightning import Callback, LightningModule, Trainer
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from antireg import DareController, from_networks

warnings.simplefilter("ignore")  # Lightning's advice on data loaders
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
torch.manual_seed(0)
x = 2 * torch.rand(600, 1) - 1
y = torch.sin(3 * x) + 0.1 * torch.randn(600, 1)
batches = DataLoader(TensorDataset(x[:400], y[:400]), batch_size=40, shuffle=True)


class Member(LightningModule):
    def training_step(self, batch, _):
        return nn.functional.mse_loss(self.net(batch[0]), batch[1])

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.01)


class Dare(DareController, Callback):
    def on_before_backward(self, trainer, module, loss):
        self.loss(loss.detach()).backward()  # gradients add up

    def on_train_epoch_end(self, trainer, module):
        self.end_epoch(valid_loss(self.network))


def new_network():
    return nn.Sequential(nn.Linear(1, 50), nn.ReLU(), nn.Linear(50, 1))


def valid_loss(net):
    with torch.no_grad():
        return nn.functional.mse_loss(net(x[400:]), y[400:]).item()


def train(net, *callbacks):
    (member := Member()).net = net
    quiet = {"logger": False, "enable_progress_bar": False}
    quiet |= {"enable_model_summary": False, "enable_checkpointing": False}
    Trainer(max_epochs=60, callbacks=[*callbacks], **quiet).fit(member, batches)


# %%
# A plain network tells how good a member can be, which sets τ. Then three members grow.

train(plain := new_network())
members = []
for _ in range(3):
    dare = Dare(new_network(), reference_loss=valid_loss(plain), delta=0.5)
    train(dare.network, dare)
    members.append(dare.restore())  # the last epoch under τ
    plt.plot(dare.history)
plt.title("λ of three members, epoch by epoch")
plt.xlabel("epoch")
plt.ylabel("λ: share of batches on which weights grow")
plt.show()

# %%
model = from_networks(members, "regression", random_state=0)
model.fit(x[400:], y[400:, 0], reference=x[:400])
print(model.is_ood([[0.0], [3.0]]))
