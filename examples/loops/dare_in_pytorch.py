"""DARE in a plain PyTorch loop."""

import torch
from torch.nn.functional import mse_loss
from toy import batches, network, valid_loss, x_train, x_valid, y_valid

import antireg


def train(net, dare=None):
    """Train a network, with DARE if there is a controller."""
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    for _ in range(60):
        for x, y in batches:
            loss = mse_loss(net(x), y)
            optimizer.zero_grad()
            (dare.loss(loss) if dare else loss).backward()
            optimizer.step()
        if dare:
            dare.end_epoch(valid_loss(net))


plain, members = network(), []
train(plain)
for _ in range(3):
    dare = antireg.DareController(network(), valid_loss(plain))
    train(dare.network, dare)
    members.append(dare.restore())
    print(f"τ {dare.threshold:.3g}, λ {dare.history[-1]:.2f}, epoch {dare.kept_epoch}")

model = antireg.from_networks(members, "regression", random_state=0)
model.fit(x_valid, y_valid, reference=x_train)
print(model.is_ood([[0.0], [3.0]]))
