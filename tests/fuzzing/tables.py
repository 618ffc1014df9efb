"""Files of rows, spoiled: they are learned from, predicted or measured, or refused."""

import gzip
import io
import zipfile
from pathlib import Path

import numpy as np
import openpyxl
import pyarrow as pa
from pyarrow import parquet

from antireg.cli import main
from antireg.cli.inputs import encoded_rows, labelled_rows, open_model
from antireg.tables import column_names, learn_encoding, open_table, stream_table
from antireg.tables.scoring import score_pieces
from antireg.tables.sheets import sheet_rows
from tests.fuzzing.mutations import spoiled_bytes
from tests.fuzzing.unsound import Unsound
from tests.made_tables import houses, written


class Table:
    """A file of rows to fit to or to predict."""

    def __init__(self, work, kind):
        self.work, self.kind = work, kind
        train = written(houses(120), work / f"train.{kind}")
        self.model = work / f"model-{kind}"
        options = (
            "--target price --drop dear --n-members 2 --hidden 8 --epochs 3 --quiet"
        )
        if not self.model.exists():
            command = ["fit", train, *options.split(), "--random-state", "0", "--quiet"]
            if main([*command, "--out", str(self.model)]):
                raise RuntimeError("the model to predict with could not be made")
        self.stored, self.encoding = open_model(self.model)
        good = written(houses(40, seed=1), work / f"good.{kind}")
        if kind == "parquet":  # compression would hide most of the file
            parquet.write_table(houses(40, seed=1), good, compression="none")
        self.content = Path(good).read_bytes()
        self.bad = work / f"bad.{kind}"

    def spoil(self, rng):
        self.bad.write_bytes(spoiled_bytes(self.content, rng))
        self.way = [self._predict, self._learn, self._evaluate][rng.integers(3)]

    def use(self):
        self.way()

    def _evaluate(self):
        labelled_rows(self.bad, self.encoding, lambda _: None)

    def _predict(self):
        model, encoding = self.stored.model, self.encoding
        also = column_names(self.bad)
        pieces = stream_table(self.bad, encoding.types, also=also)
        kept = [name for name in also if name in encoding.types]
        for piece in score_pieces(
            model, encoding, pieces, model.detector(), coverage=0.9, kept=kept
        ):
            for name in ("mean", "std", "low", "high", "ood_score"):
                if not np.isfinite(piece.rows[name].to_numpy()).all():
                    raise Unsound(f"{name} is not finite")

    def _learn(self):
        names = column_names(self.bad)
        table = open_table(self.bad, names, [])
        encoding = learn_encoding(table, names[-1])
        encoded_rows(table.to_batches(), encoding, lambda _: None)


class Compressed(Table):
    """The same, compressed: what is spoiled is the text, or the file."""

    def __init__(self, work, ending, compress):
        super().__init__(work, "csv")
        self.compress, self.bad = compress, work / f"bad.csv{ending}"

    def spoil(self, rng):
        super().spoil(rng)
        if rng.random() < 0.5:
            content = self.compress(self.bad.read_bytes())
        else:
            content = spoiled_bytes(self.compress(self.content), rng)
        self.bad.write_bytes(content)


class Sheet:
    """An Excel file: what is spoiled is one of the files in it, or the whole."""

    def __init__(self, work):
        self.bad, whole = work / "bad.xlsx", io.BytesIO()
        book, rows = openpyxl.Workbook(), houses(20, seed=1)
        book.active.append(rows.column_names)
        for row in rows.to_pylist():
            book.active.append(list(row.values()))
        book.save(whole)
        self.content = whole.getvalue()

    def spoil(self, rng):
        if rng.random() < 0.3:
            self.bad.write_bytes(spoiled_bytes(self.content, rng))
            return
        with zipfile.ZipFile(io.BytesIO(self.content)) as old:
            parts = {name: old.read(name) for name in old.namelist()}
        name = list(parts)[rng.integers(len(parts))]
        parts[name] = spoiled_bytes(parts[name], rng)
        with zipfile.ZipFile(self.bad, "w") as new:
            for name, content in parts.items():
                new.writestr(name, content)

    def use(self):
        rows = list(sheet_rows(self.bad))
        if len({len(row) for row in rows}) > 1:
            raise Unsound("rows have different numbers of cells")


def tables(work):
    """Return a target for each kind of file, by name."""
    return {
        "csv": Table(work, "csv"),
        "parquet": Table(work, "parquet"),
        "gz": Compressed(work, ".gz", gzip.compress),
        "zst": Compressed(
            work, ".zst", lambda text: pa.compress(text, "zstd", asbytes=True)
        ),
        "sheet": Sheet(work),
    }
