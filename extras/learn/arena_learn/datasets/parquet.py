"""Datasets as Parquet: one row for each decision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from arena_learn.datasets.collecting import Collection, write_manifest
from arena_learn.datasets.decisions import Decision, Recorded

ROWS = 4096
"""So many rows are kept in memory and written together."""


def schema_of(observation_size: int) -> pa.Schema:
    """Return the columns of a dataset."""
    return pa.schema(
        [
            ("match", pa.string()),
            ("seat", pa.int16()),
            ("turn", pa.int32()),
            ("observation", pa.list_(pa.float32(), observation_size)),
            ("legal", pa.list_(pa.int32())),
            ("action", pa.int32()),
            ("refused", pa.string()),
            ("wall", pa.float64()),
            ("cpu", pa.float64()),
            ("bank", pa.float64()),
            ("points", pa.float32()),
            ("outcome", pa.float32()),
            ("ending", pa.string()),
            ("bot", pa.string()),
            ("bot_hash", pa.string()),
        ]
    )


class _Part:
    """One file: the rows of one split."""

    def __init__(self, path: Path, size: int) -> None:
        self._schema = schema_of(size)
        self._size = size
        self._writer = pq.ParquetWriter(path, self._schema, compression="zstd")
        self._rows: list[tuple[Decision, tuple[Any, ...]]] = []

    def add(self, decision: Decision, about: tuple[Any, ...]) -> None:
        self._rows.append((decision, about))
        if len(self._rows) >= ROWS:
            self.flush()

    def flush(self) -> None:
        if not self._rows:
            return
        decisions = [decision for decision, _ in self._rows]
        observations = np.concatenate([one.observation for one in decisions])
        lengths = np.array([0, *(len(one.legal) for one in decisions)], np.int32).cumsum(dtype=np.int32)
        legal = np.concatenate([one.legal for one in decisions])
        match, points, outcome, ending, bot, bot_hash = zip(*(about for _, about in self._rows), strict=True)
        columns = [
            pa.array(match),
            pa.array([one.seat for one in decisions], pa.int16()),
            pa.array([one.turn for one in decisions], pa.int32()),
            pa.FixedSizeListArray.from_arrays(pa.array(observations), self._size),
            pa.ListArray.from_arrays(pa.array(lengths), pa.array(legal)),
            pa.array([one.action for one in decisions], pa.int32()),
            pa.array([one.refused for one in decisions]),
            pa.array([one.wall for one in decisions], pa.float64()),
            pa.array([one.cpu for one in decisions], pa.float64()),
            pa.array([one.bank for one in decisions], pa.float64()),
            pa.array(points, pa.float32()),
            pa.array(outcome, pa.float32()),
            pa.array(ending),
            pa.array(bot),
            pa.array(bot_hash),
        ]
        self._writer.write_table(pa.Table.from_arrays(columns, schema=self._schema))
        self._rows.clear()

    def close(self) -> None:
        self.flush()
        self._writer.close()


def write_parquet(
    files: Sequence[Path], folder: Path, collection: Collection, progress: Callable[[int], None] = lambda _: None
) -> None:
    """Write ``train.parquet``, ``validation.parquet`` and ``test.parquet``, and the manifest. Matches stay whole.

    Args:
        files: The replays.
        folder: An empty folder.
        collection: Which seats are wanted; afterwards, what was read.
        progress: Called with the number of replays so far.

    Raises:
        ArenaError: A replay does not fit, or there is nothing to write.
        ReplayError: A file is no replay, or is damaged.
    """
    parts: dict[str, _Part] = {}
    try:
        for number, file in enumerate(files, 1):
            match, decisions = collection.read(file)
            rows = list(decisions)
            split = collection.matches[-1]["split"]
            if rows and split not in parts:
                parts[split] = _Part(folder / f"{split}.parquet", match.layout.observation_size)
            about = _about(match)
            for decision in rows:
                parts[split].add(decision, about[decision.seat])
            progress(number)
    finally:
        for part in parts.values():
            part.close()
    write_manifest(folder, collection)


def _about(match: Recorded) -> list[tuple[Any, ...]]:
    """Return what all rows of a player have in common."""
    header, footer = match.reader.header, match.reader.footer
    assert footer is not None
    return [
        (match.hash, points, reward, end.get("ending", ""), player["name"], player.get("hash", ""))
        for points, reward, end, player in zip(
            match.points(), match.rewards(), footer["players"], header["players"], strict=True
        )
    ]
