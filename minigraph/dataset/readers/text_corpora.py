"""Published corpora of text in the files of their publishers: reviews, news and articles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from minigraph.core.errors import ArgRuntimeError
from minigraph.dataset.readers.csv_files import read_records, records
from minigraph.dataset.readers.reader_arguments import Shuffle, check_folder, check_member_of
from minigraph.dataset.readers.text_files import GLOBAL, Reader, RowFiles, read_lines, read_text


class Corpus(RowFiles):
    """The base class: ``files`` by usage, in the order of ``usage="all"``, in a folder.

    A subclass whose files depend on the folder, or columns on the usage, has its own ``files_in`` or ``columns_of``.
    The other arguments and errors are those of ``TextFileDataset``. Raises ``ValueError`` for a missing folder or
    another usage, ``RuntimeError`` for a missing file.
    """

    files: Mapping[str, str]
    columns: Sequence[str] = ("text",)
    reader: Reader = staticmethod(read_lines)
    usages: Sequence[str] = ("train", "test", "all")
    default_usage = "all"

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: object = None,
    ) -> None:
        folder = check_folder(dataset_dir)
        usage_name = check_member_of("usage", usage, self.usages, self.default_usage)
        paths = [folder / name for key, name in self.files_in(folder).items() if usage_name in (key, "all")]
        for path in paths:
            if not path.is_file():
                raise ArgRuntimeError(f"{type(self).__name__}: there is no file {path.name!r} in {folder.name!r}")
        columns = self.columns_of(usage_name)
        super().__init__(paths, columns, type(self).reader, num_samples, shuffle, num_shards, shard_id)

    def files_in(self, folder: Path) -> Mapping[str, str]:
        """The names of the files by usage."""
        return self.files

    def columns_of(self, usage: str) -> Sequence[str]:
        """The names of the columns."""
        return self.columns


class CorpusWithWorkersLast(Corpus):
    """``Corpus`` with ``num_parallel_workers`` after the other arguments."""

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        num_samples: int | None = None,
        shuffle: bool | Shuffle | None = GLOBAL,
        num_shards: int | None = None,
        shard_id: int | None = None,
        num_parallel_workers: int | None = None,
        cache: object = None,
    ) -> None:
        super().__init__(dataset_dir, usage, num_samples, shuffle=shuffle, num_shards=num_shards, shard_id=shard_id)


# ---- records of values -----------------------------------------------------------------------------

TEST_FIRST = {"test": "test.csv", "train": "train.csv"}
TRAIN_FIRST = {"train": "train.csv", "test": "test.csv"}


class AGNewsDataset(Corpus):
    """News of four topics: ``index``, ``title`` and ``description``, of ``train.csv`` and ``test.csv``."""

    files, columns = TEST_FIRST, ("index", "title", "description")
    reader = partial(read_records, delimiter=",", width=3)


class AmazonReviewDataset(Corpus):
    """Reviews of products: ``label``, ``title`` and ``content``, of ``train.csv`` and ``test.csv``."""

    files, columns = TEST_FIRST, ("label", "title", "content")
    reader = partial(read_records, delimiter=",", width=3)


class DBpediaDataset(Corpus):
    """Articles of fourteen classes: ``class``, ``title`` and ``content``, of ``train.csv`` and ``test.csv``."""

    files, columns = TEST_FIRST, ("class", "title", "content")
    reader = partial(read_records, delimiter=",", width=3)


class YahooAnswersDataset(Corpus):
    """Questions of ten topics: ``class``, ``title``, ``content`` and ``answer``, of ``train.csv`` and ``test.csv``."""

    files, columns = TEST_FIRST, ("class", "title", "content", "answer")
    reader = partial(read_records, delimiter=",", width=4)


class SogouNewsDataset(CorpusWithWorkersLast):
    """News of five topics in pinyin: ``index``, ``title`` and ``content``, of ``train.csv`` and ``test.csv``."""

    files, columns = TRAIN_FIRST, ("index", "title", "content")
    reader = partial(read_records, delimiter=",", width=3)


class YelpReviewDataset(CorpusWithWorkersLast):
    """Reviews of businesses: ``label`` and ``text``, of ``train.csv`` and ``test.csv``."""

    files, columns = TRAIN_FIRST, ("label", "text")
    reader = partial(read_records, delimiter=",", width=2)


def _read_sst2(path: Path) -> Iterator[list[str]]:
    """Records separated by tabs after a header: (sentence, label), or (sentence,) of the test file."""
    rows = records(read_text(path), "\t", path.name)
    next(rows, None)
    for row in rows:
        if len(row) != 2:
            raise ArgRuntimeError(f"SST2Dataset: {path.name!r}: a record has {len(row)} values for 2 columns")
        yield row[1:] if path.name == "test.tsv" else row


class SST2Dataset(Corpus):
    """Sentences of reviews (Socher et al. 2013): ``sentence`` and ``label``; of ``test.tsv`` only ``sentence``.

    The usages are ``train`` (the default), ``dev`` and ``test``.
    """

    files: Mapping[str, str] = {"train": "train.tsv", "test": "test.tsv", "dev": "dev.tsv"}
    usages, default_usage, reader = ("train", "test", "dev"), "train", staticmethod(_read_sst2)

    def columns_of(self, usage: str) -> Sequence[str]:
        """The names of the columns."""
        return ("sentence",) if usage == "test" else ("sentence", "label")


# ---- lines -----------------------------------------------------------------------------------------

TRAIN_VALID_TEST = ("train", "valid", "test", "all")


class PennTreebankDataset(Corpus):
    """Sentences of the Wall Street Journal, one per line: ``text``, of ``ptb.train.txt``, ``valid`` and ``test``."""

    files: Mapping[str, str] = {usage: f"ptb.{usage}.txt" for usage in ("test", "train", "valid")}
    usages = TRAIN_VALID_TEST


class WikiTextDataset(Corpus):
    """Articles of Wikipedia, one paragraph per line: ``text``, of ``wiki.train.tokens``, ``valid`` and ``test``."""

    files: Mapping[str, str] = {usage: f"wiki.{usage}.tokens" for usage in ("test", "train", "valid")}
    usages = TRAIN_VALID_TEST


class EnWik9Dataset(RowFiles):
    """The lines of the file ``enwik9``, 10**9 bytes of Wikipedia: ``text``; empty lines are rows, too."""

    def __init__(
        self,
        dataset_dir: str,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | Shuffle | None = True,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: object = None,
    ) -> None:
        path = check_folder(dataset_dir) / "enwik9"

        def read(path: Path) -> Iterator[tuple[str]]:
            return ((line,) for line in read_text(path).removesuffix("\n").split("\n"))

        super().__init__([path], ["text"], read, num_samples, shuffle, num_shards, shard_id)
