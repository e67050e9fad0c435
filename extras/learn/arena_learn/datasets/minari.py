"""Datasets in the format of Minari: the episodes of one seat."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from arena_learn.datasets.collecting import Collection, write_manifest


def write_minari(
    files: Sequence[Path], folder: Path, collection: Collection, progress: Callable[[int], None] = lambda _: None
) -> str:
    """Write a dataset of Minari and the manifest. Return the id of the dataset: ``minari.load_dataset`` loads it.

    An episode has the accepted actions of one seat. The reward is 0, and at the end the outcome.

    Args:
        files: The replays.
        folder: An empty folder. It is Minari's folder of datasets: set ``MINARI_DATASETS_PATH`` to it.
        collection: Which seat is wanted; afterwards, what was read.
        progress: Called with the number of replays so far.

    Raises:
        ArenaError: A replay does not fit, or there is nothing to write.
        ReplayError: A file is no replay, or is damaged.
    """
    from gymnasium import spaces
    from minari import create_dataset_from_buffers
    from minari.data_collector.episode_buffer import EpisodeBuffer

    buffers: list[Any] = []
    seat = collection.seat or 0
    for number, file in enumerate(files, 1):
        match, decisions = collection.read(file)
        rows = [one for one in decisions if not one.refused and one.action >= 0]
        progress(number)
        if not rows:
            continue
        watch = collection._watch
        assert watch is not None
        last = watch.trackers[seat].numbers.copy()
        steps = len(rows)
        buffers.append(
            EpisodeBuffer(
                id=len(buffers),
                observations=[*(one.observation for one in rows), last],
                actions=[np.int64(one.action) for one in rows],
                rewards=[0.0] * (steps - 1) + [match.rewards()[seat]],
                terminations=[False] * (steps - 1) + [True],
                truncations=[False] * steps,
            )
        )
    collection.check()
    layout = collection.layout
    assert layout is not None
    id_ = f"arena/{layout.game.replace('_', '-')}/seat-{seat}-v0"
    before = os.environ.get("MINARI_DATASETS_PATH")
    os.environ["MINARI_DATASETS_PATH"] = str(folder.resolve())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Minari remarks that no environment and no author are named
            create_dataset_from_buffers(
                id_,
                buffers,
                observation_space=spaces.Box(-1.0, 1.0, (layout.observation_size,), np.float32),
                action_space=spaces.Discrete(layout.action_count),
                data_format="arrow",
                algorithm_name="replays of Arena",
                description=f"Seat {seat} of {layout.game} {layout.version}; manifest.json has the layout.",
            )
    finally:
        if before is None:
            del os.environ["MINARI_DATASETS_PATH"]
        else:
            os.environ["MINARI_DATASETS_PATH"] = before
    write_manifest(folder, collection)
    return id_
