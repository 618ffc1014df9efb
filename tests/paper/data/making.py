"""Little files in the formats of the image data sets."""

import io
import tarfile

import numpy as np


def idx(array):
    header = bytes([0, 0, 8, array.ndim])
    return header + np.array(array.shape, ">i4").tobytes() + array.tobytes()


def tar(path, **members):
    with tarfile.open(path, "w:gz") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


def python2_batch(pictures, labels, key=b"labels"):
    """Pickle a CIFAR batch as Python 2 did: byte strings, numpy.core."""

    def text(value):
        return b"U" + bytes([len(value)]) + value

    flat = pictures.transpose(0, 3, 1, 2).reshape(len(pictures), -1)
    shape = b"(" + b"".join(b"M" + n.to_bytes(2, "little") for n in flat.shape) + b"t"
    array = b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(K\0t" + text(
        b"b"
    )
    dtype = (
        b"cnumpy\ndtype\n("
        + text(b"u1")
        + b"K\0K\1tR(K\3"
        + text(b"|")
        + (b"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb")
    )
    data = b"T" + flat.size.to_bytes(4, "little") + flat.tobytes()
    array += b"tR(K\1" + shape + dtype + b"\x89" + data + b"tb"
    numbers = b"](" + b"".join(b"K" + bytes([n]) for n in labels) + b"e"
    return b"\x80\2}(" + text(b"data") + array + text(key) + numbers + b"u."
