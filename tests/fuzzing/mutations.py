"""Ways to spoil bytes, JSON and arrays, all drawn from one generator."""

import copy
import json

import numpy as np

NUMBERS = [0, 1, -1, 2, 255, 2**31, 2**39, 2**53, 10**30, 10**400, 0.5, 1e308, 5e-324]
WORDS = ["", "inf", "nan", "auto", "../../etc/passwd", "os.system", "\x00", "=1", "é"]
OTHERS = [None, True, False, [], {}, [[]], {"a": 1}, "x" * 5000, list(range(3000))]
VALUES = [*NUMBERS, *WORDS, *OTHERS]
TOKENS = [b"\x00", b"\xff", b'"', b",", b"\n", b"\r", b"\r\n", b"\n\n", b";", b"NA",
          b"nan", b"inf", b"-inf", b"1e999", b"true", b"\xef\xbb\xbf", b"\xc3", b"=1+1",
          b"0x1F", b"\x1b[2J", b"9" * 400, b"a" * 70_000]  # fmt: skip

EXTREMES = [0, 1, -1, 0.5, 5e-324, 1e-30, 1e30, 3e38, -3e38, 1e200, 1.7e308, -1.7e308]


def spoiled_bytes(content, rng, first=None):
    """Return bytes after one to four changes, in the first so many if that is given."""
    made = bytearray(content)
    for _ in range(rng.integers(1, 5) if rng.random() < 0.5 else 1):
        end = min(len(made), first or len(made))
        place = int(rng.integers(max(end, 1)))
        kind = rng.integers(6)
        if kind == 0 and made:
            made[min(place, len(made) - 1)] ^= 1 << int(rng.integers(8))
        elif kind == 1 and made:
            made[min(place, len(made) - 1)] = int(rng.integers(256))
        elif kind == 2:
            del made[place:]
        elif kind == 3:
            made[place:place] = TOKENS[rng.integers(len(TOKENS))]
        elif kind == 4:
            del made[place : place + int(rng.integers(1, 50))]
        else:
            made[place:place] = made[: int(rng.integers(1, 200))]
    return bytes(made)


def spoiled_json(content, rng):
    """Return JSON after one to three of its values were changed, lost or doubled."""
    made = json.loads(content)
    for _ in range(rng.integers(1, 4)):
        holder, key = _place(made, rng)
        if key is None:
            return json.dumps(VALUES[rng.integers(len(VALUES))]).encode()
        kind = rng.integers(5)
        if kind == 0:
            del holder[key]
        elif kind == 1:
            other, place = _place(made, rng)
            inner = made if place is None else other[place]
            holder[key] = json.loads(json.dumps(inner))
        elif kind == 2 and isinstance(holder, list):
            holder.extend([holder[key]] * int(rng.integers(1, 2000)))
        else:
            # A copy: a later change must not be one of the list.
            holder[key] = copy.deepcopy(VALUES[rng.integers(len(VALUES))])
    return json.dumps(made).encode()


def spoiled_arrays(arrays, rng):
    """Return arrays after some of their values, or one's length, were changed."""
    made = {name: values.copy() for name, values in arrays.items()}
    for _ in range(rng.integers(1, 4)):
        name = list(made)[rng.integers(len(made))]
        values, kind = made[name], rng.integers(8)
        if kind == 0:
            made[name] = values[: int(rng.integers(len(values) + 1))].copy()
        elif kind == 1:
            made[name] = np.concatenate([values, values[:1]])
        elif kind == 2:
            made[name] = rng.permutation(values)
        elif kind == 3 and values.ndim > 1:
            made[name] = np.ascontiguousarray(values[..., ::-1])
        elif values.size:
            value, flat = EXTREMES[rng.integers(len(EXTREMES))], values.reshape(-1)
            some = slice(None) if kind < 6 else int(rng.integers(len(flat)))
            with np.errstate(all="ignore"):
                changed = flat[some] * np.float64(value) if kind % 2 else value
                flat[some] = np.asarray(changed, float).astype(values.dtype)
    return made


def _place(made, rng):
    """Return an object or a list somewhere in it, and one of its keys."""
    holder, key = made, None
    while isinstance(holder, dict | list) and holder:
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        parent, key = holder, keys[rng.integers(len(keys))]
        inner = parent[key]
        if not isinstance(inner, dict | list) or not inner or rng.random() < 0.4:
            return parent, key
        holder = inner
    return holder, key
