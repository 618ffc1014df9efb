"""DARE as a criterion of skorch, with a callback that keeps the last epoch under τ."""

import torch
from skorch import NeuralNetRegressor
from skorch.callbacks import Callback
from torch import nn
from toy import network, valid_loss, x_train, x_valid, y_train, y_valid

import antireg


class DareLoss(nn.MSELoss):
    def forward(self, said, y):
        loss = super().forward(said, y)
        return self.dare.loss(loss) if torch.is_grad_enabled() else loss


class Dare(antireg.DareController, Callback):
    def on_train_begin(self, net, **_):
        net.criterion_.dare = self

    def on_epoch_end(self, net, **_):
        self.end_epoch(valid_loss(self.network))


def train(net, **settings):
    settings |= {"optimizer": torch.optim.Adam, "lr": 0.01, "batch_size": 32}
    settings |= {"max_epochs": 60, "train_split": None, "verbose": 0}
    NeuralNetRegressor(net, **settings).fit(x_train, y_train)


train(plain := network())
members = []
for _ in range(3):
    dare = Dare(network(), valid_loss(plain))
    train(dare.network, criterion=DareLoss, callbacks=[dare])
    members.append(dare.restore())
model = antireg.from_networks(members, "regression", random_state=0)
print(model.fit(x_valid, y_valid, reference=x_train).is_ood([[0.0], [3.0]]))
