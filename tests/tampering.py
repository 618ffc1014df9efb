"""Stored models, changed as an attacker would change them."""

import json

from safetensors.numpy import load_file, save_file

from antireg import model_files


def tampered(folder, change_words=None, change_arrays=None):
    """Change a stored model as an attacker would: the checksums are right again."""
    description = json.loads((folder / model_files.DESCRIPTION).read_text())
    arrays = load_file(folder / model_files.ARRAYS)
    (change_words or (lambda d: None))(description)
    (change_arrays or (lambda a: None))(arrays)
    (folder / model_files.DESCRIPTION).write_text(json.dumps(description))
    save_file(arrays, folder / model_files.ARRAYS)
    seal(folder)


def seal(folder):
    names = (model_files.DESCRIPTION, model_files.ARRAYS)
    sums = "".join(f"{model_files._sha256(folder / name)}  {name}\n" for name in names)
    (folder / model_files.CHECKSUMS).write_text(sums)


def put(*path, value):
    def change(holder):
        for name in path[:-1]:
            holder = holder[name]
        holder[path[-1]] = value

    return change
