"""Stored models, changed as an attacker would change them."""

import hashlib
import json

from safetensors.numpy import load_file, save_file

from antireg.storage import model_folder


def files(folder):
    """Return the description and the arrays of a stored model."""
    description, arrays = model_folder.names(folder)
    return folder / description, folder / arrays


def tampered(folder, change_words=None, change_arrays=None):
    """Change a stored model as an attacker would: the checksums are right again."""
    words, numbers = files(folder)
    description = json.loads(words.read_text())
    arrays = load_file(numbers)
    (change_words or (lambda d: None))(description)
    (change_arrays or (lambda a: None))(arrays)
    words.write_text(json.dumps(description))
    save_file(arrays, numbers)
    seal(folder)


def seal(folder):
    """Make the checksums those of the files."""
    sums = "".join(
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n"
        for file in files(folder)
    )
    (folder / model_folder.CHECKSUMS).write_text(sums)


def put(*path, value):
    def change(holder):
        for name in path[:-1]:
            holder = holder[name]
        holder[path[-1]] = value

    return change
