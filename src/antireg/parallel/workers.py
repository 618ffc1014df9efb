"""Groups of members, and candidates, trained side by side by joblib's workers.

No bit depends on who trains a group: its members, their initial weights and the order
of their rows are the same everywhere, and so are the operands of every product.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import torch

from antireg.advice import warn_user
from antireg.history import joined_history
from antireg.methods.base import Fit, Method, Train
from antireg.parallel.pool import Pool, Work, workers_for
from antireg.training.groups import Group
from antireg.training.loop import Trainer

Outcome = Fit | Exception


@contextmanager
def shared_out(
    trainer: Trainer, n_jobs: int | None, *, warned: bool = False
) -> Iterator[Train]:
    """Yield what trains: the trainer itself if there is only one worker.

    Args:
        trainer: Trains everything in this process.
        n_jobs: How many workers, as joblib counts them.
        warned: Whether the user knows already if they have nothing to do.
    """
    n_jobs, n_workers = workers_for(n_jobs)
    if n_workers == 1:
        yield trainer
        return
    with Pool(trainer.plan.problem, n_jobs) as pool:
        yield Workers(trainer, pool, n_workers, warned=warned)


class Workers:
    """Trains methods one after another, and as much of each as possible side by side.

    Args:
        trainer: Trains what cannot be split, and knows the plan.
        pool: The workers.
        n_workers: How many there are, at least two.
        warned: Whether the user knows already if they have nothing to do.
    """

    def __init__(
        self, trainer: Trainer, pool: Pool, n_workers: int, *, warned: bool = False
    ) -> None:
        """Start nothing before there is a training that can be split."""
        self.trainer, self.plan, self.pool = trainer, trainer.plan, pool
        self.n_workers, self.warned = n_workers, warned
        self.outcomes: deque[Outcome] = deque()

    def __call__(self, method: Method, ahead: Sequence[Method] = ()) -> Fit:
        """Return the fit of all members.

        Args:
            method: What to train.
            ahead: What may be asked for next, in this order.
        """
        announced = self.plan.ask(method, ahead)
        if not announced:
            self.outcomes.clear()
        if not self.outcomes:
            self._dismiss_idle_workers(method, announced or bool(ahead))
            room = max(1, self.n_workers // len(self.plan.members(method)))
            methods = [method, *ahead][:room]
            shares = [(one, self.plan.groups(one, n)) for n, one in enumerate(methods)]
            n_groups = sum(len(groups) for _, groups in shares)
            if self.n_workers == 1 or n_groups == 1:
                return self.trainer(method, groups=shares[0][1])
            self.outcomes.extend(self._train_apart(shares))
        outcome = self.outcomes.popleft()
        if isinstance(outcome, Exception):
            raise outcome
        return self.trainer.noted(outcome)

    def continuing(self, fit: Fit, epochs: float, lr: float = 1.0) -> Workers:
        """Return what trains on from the members of a fit; as in `Train`."""
        trainer = self.trainer.continuing(fit, epochs, lr)
        return Workers(trainer, self.pool, self.n_workers, warned=self.warned)

    def _train_apart(
        self, shares: Sequence[tuple[Method, Sequence[Group]]]
    ) -> list[Outcome]:
        """Return the result of each method, its groups trained by workers."""
        settings = self.plan.settings
        with self.trainer.bar() as bar:
            watched = replace(settings, callbacks=bar)
            work = {
                (number, place): Work(
                    method,
                    group,
                    settings if number or place else watched,
                    may_fail=len(shares) > 1,
                )
                for number, (method, groups) in enumerate(shares)
                for place, group in enumerate(groups)
            }
            done = self.pool.run(work)
        outcomes: list[Outcome] = []
        for number, (method, groups) in enumerate(shares):
            parts = [done[number, place] for place in range(len(groups))]
            failed = [part for part in parts if isinstance(part, Exception)]
            fits = [part for part in parts if not isinstance(part, Exception)]
            outcomes += failed[:1] or [self._joined(method, fits)]
        return outcomes

    def _joined(self, method: Method, fits: Sequence[Fit]) -> Fit:
        """Return the fit of all members from those of their groups."""
        weights = torch.cat([fit.weights for fit in fits])
        history = joined_history([fit.history for fit in fits], self.n_workers)
        return self.trainer.fit(method, weights, history)

    def _dismiss_idle_workers(self, method: Method, searching: bool) -> None:
        """Train here what cannot be split, unless candidates can be; say why, once."""
        if self.n_workers == 1:
            return
        reason = self._why_here or ("" if searching else self.plan.why_together(method))
        if not reason:
            return
        self.n_workers = 1
        if not self.warned:
            warn_user(
                f"n_jobs has no effect: {reason}. All members train in this process.",
            )

    @property
    def _why_here(self) -> str | None:
        """What keeps trainings in this process, if anything does."""
        if self.plan.settings.callbacks:
            return "callbacks are told of all members at once"
        if self.plan.device != "cpu":
            return f"there is one {self.plan.device} device"
        return None
