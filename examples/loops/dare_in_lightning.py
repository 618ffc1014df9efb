"""DARE as a callback of Lightning, around a module that knows nothing of it."""

import torch
from lightning import Callback, LightningModule, Trainer
from torch.nn.functional import mse_loss
from toy import batches, network, valid_loss, x_train, x_valid, y_valid

import antireg


class Member(LightningModule):
    def training_step(self, batch, _):
        return mse_loss(self.net(batch[0]), batch[1])

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.01)


class Dare(antireg.DareController, Callback):
    def on_before_backward(self, trainer, module, loss):
        self.loss(loss.detach()).backward()  # gradients add up

    def on_train_epoch_end(self, trainer, module):
        self.end_epoch(valid_loss(self.network))


def train(net, *dare):
    (member := Member()).net = net
    Trainer(max_epochs=60, callbacks=[*dare], barebones=True).fit(member, batches)


train(plain := network())
members = []
for _ in range(3):
    dare = Dare(network(), valid_loss(plain))
    train(dare.network, dare)
    members.append(dare.restore())
model = antireg.from_networks(members, "regression", random_state=0)
print(model.fit(x_valid, y_valid, reference=x_train).is_ood([[0.0], [3.0]]))
