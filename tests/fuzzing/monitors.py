"""The state of a monitor, spoiled; the monitor resumes from it, or says why not."""

import json

from antireg import Monitor
from antireg.monitoring import state
from antireg.monitoring.betting import MOST
from tests.fuzzing.mutations import NUMBERS, spoiled_bytes, spoiled_json
from tests.fuzzing.unsound import Unsound
from tests.small_models import regressor, rows


class States:
    """A file of JSON, with bytes or values changed, and its checksum right or not."""

    def __init__(self, work):
        self.model, self.X = regressor(), rows(5)[0]
        good = work / "state-good.json"
        monitor = Monitor(self.model)
        monitor.update(rows(60)[0])
        monitor.save(good)
        self.content, self.good = good.read_bytes(), state.read(good)
        self.bad = work / "state.json"

    def spoil(self, rng):
        kind = rng.integers(4)
        self.sealed = kind > 1
        change = [spoiled_bytes, spoiled_json, spoiled_json, _other_numbers][kind]
        content = change(self.content, rng)
        self.bad.write_bytes(_sealed(content) if self.sealed else content)

    def use(self):
        monitor = Monitor.load(self.bad, self.model)
        if not self.sealed and state.read(self.bad) != self.good:
            raise Unsound("a changed state was taken for the one of its checksum")
        before = monitor.n_rows
        values = monitor.update(self.X)
        if not ((values > 0) & (values <= 1)).all():
            raise Unsound(f"p-values are not above 0 and up to 1: {values}")
        if not 0 <= monitor.evidence <= MOST or monitor.n_rows != before + len(values):
            raise Unsound(f"evidence of {monitor.n_rows} rows is {monitor.evidence}")
        monitor.save(self.bad)
        if Monitor.load(self.bad, self.model).evidence != monitor.evidence:
            raise Unsound("what was saved is not what was loaded")


def _other_numbers(content, rng):
    """Return the state with one to three other numbers."""
    values = json.loads(content)
    for _ in range(rng.integers(1, 4)):
        name = list(values)[rng.integers(len(values))]
        number = NUMBERS[rng.integers(len(NUMBERS))]
        if isinstance(values[name], list):
            values[name][rng.integers(len(values[name]))] = number
        elif not isinstance(values[name], str):
            values[name] = number
    return json.dumps(values).encode()


def _sealed(content):
    values = json.loads(content)
    if not isinstance(values, dict):
        return content
    values.pop("sha256", None)
    return json.dumps(values | {"sha256": state.checksum(values)}).encode()
