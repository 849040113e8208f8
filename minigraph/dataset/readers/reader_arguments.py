"""Arguments that all readers of files have: folders, patterns of files, usages, samples and shards."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

from minigraph.core.errors import ArgRuntimeError, ArgTypeError, ArgValueError
from minigraph.dataset.arguments import check_interval
from minigraph.dataset.samplers import PKSampler, Sampler, SubsetSampler


class Shuffle(StrEnum):
    """How readers of text files shuffle: all rows, the order of the files, or the rows of each file."""

    FALSE = "false"
    ADAPTIVE = "adaptive"
    GLOBAL = "global"
    PARTIAL = "partial"
    FILES = "files"
    INFILE = "infile"


def check_instance(name: str, value: object, kinds: tuple[type, ...]) -> None:
    """Raises ``TypeError`` unless ``value`` is an instance of one of ``kinds``; a bool is no int."""
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        listed = f"[{', '.join(map(str, kinds))}]"
        raise ArgTypeError(f"Argument {name} with value {value} is not of type {listed}, but got {type(value)}.")


def check_shuffle(shuffle: object) -> Shuffle:
    """The member of ``Shuffle`` for a bool or member; raises ``TypeError`` for other values."""
    if isinstance(shuffle, Shuffle):
        return shuffle
    if shuffle is None or isinstance(shuffle, bool):
        return Shuffle.FALSE if shuffle is False else Shuffle.GLOBAL
    raise ArgTypeError(f"shuffle must be of boolean or enum of 'Shuffle' values like Shuffle.GLOBAL, got {shuffle!r}.")


def check_samples(num_samples: int | None) -> int | None:
    """The largest number of rows, ``None`` for all; raises ``ValueError`` for a negative number."""
    if num_samples is None:
        return None
    check_instance("num_samples", num_samples, (int,))
    if num_samples < 0:
        raise ArgValueError(f"num_samples exceeds the boundary: {num_samples} is negative; use 0 for all rows.")
    return num_samples or None


def check_shards(num_shards: int | None, shard_id: int | None) -> tuple[int, int]:
    """(number of shards, shard), (1, 0) for none; raises ``RuntimeError`` for one without the other."""
    if num_shards is None and shard_id is None:
        return 1, 0
    if num_shards is None:
        raise ArgRuntimeError("shard_id is specified but num_shards is not.")
    check_interval("num_shards", num_shards, 1)
    if shard_id is None:
        raise ArgRuntimeError("num_shards is specified and currently requires shard_id as well.")
    check_instance("shard_id", shard_id, (int,))
    if not 0 <= shard_id < num_shards:
        raise ArgValueError(f"Input shard_id is not within the required interval of [0, {num_shards - 1}].")
    return num_shards, shard_id


def sampler_options(
    sampler: Sampler | Iterable[int] | None,
    num_samples: int | None,
    shuffle: bool | None,
    num_shards: int | None,
    shard_id: int | None,
) -> dict[str, Any]:
    """The arguments of a reader as arguments of ``GeneratorDataset``.

    Raises ``RuntimeError`` for a sampler with arguments that contradict it, ``TypeError`` for another kind of sampler.
    """
    if shuffle is not None:
        check_instance("shuffle", shuffle, (bool,))
    check_shards(num_shards, shard_id)
    options = {"num_samples": check_samples(num_samples), "num_shards": num_shards, "shard_id": shard_id}
    if sampler is None:
        return {**options, "shuffle": shuffle}
    contradictions = {"shuffle": shuffle, "num_samples": options["num_samples"], "sharding": num_shards}
    for name, value in contradictions.items():
        if value is not None:
            raise ArgRuntimeError(f"sampler and {name} cannot be specified at the same time.")
    if isinstance(sampler, str) or not isinstance(sampler, int | Iterable):
        raise ArgTypeError(f"Unsupported sampler object of type ({type(sampler)})")
    return {"sampler": sampler if isinstance(sampler, Sampler) else SubsetSampler(sampler)}


def with_labels(options: dict[str, Any], labels: Sequence[int]) -> dict[str, Any]:
    """The result of ``sampler_options``, where a ``PKSampler`` knows the labels of the rows."""
    sampler = options.get("sampler")
    return {"sampler": sampler.with_labels(labels)} if isinstance(sampler, PKSampler) else options


def check_folder(path: str) -> Path:
    """The folder as a path; raises ``ValueError`` if there is none."""
    check_instance("dataset_dir", path, (str, Path))
    if not Path(path).is_dir():
        raise ArgValueError(f"The folder {path} does not exist or is not a directory or permission denied!")
    return Path(path)


def check_member_of(name: str, value: str | None, choices: Sequence[str], default: str = "all") -> str:
    """``value``, or ``default`` for ``None``; raises ``ValueError`` unless it is one of ``choices``."""
    if value is None:
        return default
    check_instance(name, value, (str,))
    if value not in choices:
        raise ArgValueError(f"Input {name} is not within the valid set of {list(choices)}, got {value!r}.")
    return value


def matching_files(patterns: str | Sequence[str]) -> list[Path]:
    """The files of one pattern or several, sorted; raises ``ValueError`` for no pattern, or patterns without a file."""
    check_instance("dataset files", patterns, (str, list))
    listed = [patterns] if isinstance(patterns, str) else patterns
    if not listed:
        raise ArgValueError(f"Input dataset_files can not be empty, but got {patterns!r}.")
    paths_by_pattern = {pattern: glob.glob(pattern, recursive=True) for pattern in listed}
    if missing := [pattern for pattern, paths in paths_by_pattern.items() if not paths]:
        raise ArgValueError(f"The following patterns did not match any files: {missing}.")
    return [Path(path) for path in sorted(path for pattern in listed for path in paths_by_pattern[pattern])]
