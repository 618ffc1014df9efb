"""Ways to spoil bytes and JSON, all drawn from one generator."""

import json

NUMBERS = [0, 1, -1, 2, 255, 2**31, 2**39, 2**53, 10**30, 10**400, 0.5, 1e308, 5e-324]
WORDS = ["", "inf", "nan", "auto", "../../etc/passwd", "os.system", "\x00", "=1", "é"]
OTHERS = [None, True, False, [], {}, [[]], {"a": 1}, "x" * 5000, list(range(3000))]
VALUES = [*NUMBERS, *WORDS, *OTHERS]
TOKENS = [b"\x00", b"\xff", b'"', b",", b"\n", b"\r", b"\r\n", b"\n\n", b";", b"NA",
          b"nan", b"inf", b"-inf", b"1e999", b"true", b"\xef\xbb\xbf", b"\xc3", b"=1+1",
          b"0x1F", b"\x1b[2J", b"9" * 400, b"a" * 70_000]  # fmt: skip


def spoiled_bytes(content, rng, first=None):
    """Return bytes after one to four changes, in the first so many if that is given."""
    made = bytearray(content)
    for _ in range(rng.integers(1, 5)):
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
            holder[key] = VALUES[rng.integers(len(VALUES))]
    return json.dumps(made).encode()


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
