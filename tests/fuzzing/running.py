"""Spoils file after file, and keeps what is not as promised."""

import resource  # not on Windows: who imports this skips first
import sys
import time
import warnings
from collections import Counter
from typing import NamedTuple

import numpy as np

import antireg
from tests.fuzzing.unsound import Unsound

LONGEST_MESSAGE = 1000
MOST_SECONDS = 5.0
MOST_MEGABYTES = 512
"""More than the process had before the first file."""

CODE = ("os.system", "os.exec", "os.posix_spawn", "subprocess.Popen", "marshal.loads",
        "pickle.find_class", "ctypes.dlopen", "socket.connect")  # fmt: skip

DRIVER = "libnvidia-ml.so.1"
"""PyTorch with CUDA counts devices by it before each training, whatever the file."""


class Finding(NamedTuple):
    """A file that broke a promise; `seed` and `number` make it again."""

    target: str
    seed: int
    number: int
    what: str


class Watch:
    """Notes events of the interpreter that no data file may cause."""

    def __init__(self):
        """Start to listen; a hook cannot be removed."""
        self.seen, self.active = [], False
        sys.addaudithook(self)

    def __call__(self, event, details):
        if self.active and event in CODE and DRIVER not in details:
            self.seen.append(event)


class Found(NamedTuple):
    """What a run found.

    Attributes:
        findings: Files that broke a promise.
        endings: How many files ended how, by target.
        last: Number of the file to go on with.
        slowest: Seconds of processor time of the slowest file, and its number.
        megabytes: The most that was taken, beyond what was before the first file.
    """

    findings: list[Finding]
    endings: Counter
    last: int
    slowest: tuple[float, int]
    megabytes: float


def fuzz(targets, n_files, seed, seconds=float("inf"), first=0):
    """Return what was found, for so many files or so long.

    Args:
        targets: By name.
        n_files: Number of the last file.
        seed: Of all files; a file is known by its seed and its number.
        seconds: When to stop at the latest.
        first: Number of the first file.
    """
    for name in antireg.__all__:
        getattr(antireg, name)  # importing on first use is no doing of a file
    findings, endings, watch = [], Counter(), Watch()
    start = before = megabytes()
    end, slowest, number = time.monotonic() + seconds, (0.0, first), first
    names = list(targets)
    for number in range(first, n_files):
        if time.monotonic() > end:
            break
        name = names[number % len(names)]
        targets[name].spoil(np.random.default_rng([seed, number]))
        started = time.process_time()
        watch.active = True
        ending, problem = _ending(targets[name])
        watch.active = False
        endings[f"{name}: {ending}"] += 1
        used = time.process_time() - started
        slowest = max(slowest, (used, number))
        problems = [problem] if problem else []
        problems += [f"took {used:.1f} s"] if used > MOST_SECONDS else []
        problems += [f"ran {event}" for event in watch.seen]
        if megabytes() - before > MOST_MEGABYTES:
            problems.append(f"took {megabytes() - before:.0f} MB")
            before = megabytes()
        watch.seen.clear()
        findings += [Finding(name, seed, number, what) for what in problems]
    else:
        number = n_files
    return Found(findings, endings, number, slowest, megabytes() - start)


def _ending(target):
    """Return how the use of a file ended, and what is wrong with that."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            target.use()
    except Unsound as error:
        return "unsound", str(error)
    except (ValueError, OSError) as error:
        said, kind = str(error), type(error)
        if kind not in (ValueError, OSError, FileNotFoundError):
            return "unclear", f"{kind.__name__}: {said[:200]}"
        if len(said) > LONGEST_MESSAGE or "\n" in said or "." not in said:
            return "unclear", f"no short sentence: {said[:200]!r}"
        return "refused", None
    except Exception as error:
        return "unclear", f"{type(error).__name__}: {str(error)[:200]}"
    return "answered", None


def megabytes():
    """Return the most that the process has ever taken."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (2**20 if sys.platform == "darwin" else 2**10)
