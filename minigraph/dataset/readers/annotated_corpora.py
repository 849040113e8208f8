"""Published corpora of annotated text: tagged sentences, questions with answers, and translations."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgValueError
from minigraph.dataset.readers.reader_arguments import check_folder, check_member_of
from minigraph.dataset.readers.text_corpora import TRAIN_VALID_TEST, Corpus, CorpusWithWorkersLast
from minigraph.dataset.readers.text_files import RowFiles, read_lines, read_text

# ---- tagged sentences ------------------------------------------------------------------------------


def read_tagged(path: Path, delimiter: str) -> Iterator[tuple[np.ndarray, ...]]:
    """Sentences of a file with a word and its two tags per line, and an empty line after each sentence."""
    for sentence in read_text(path).replace("\r", "").split("\n\n"):
        words = [line.split(delimiter) for line in sentence.split("\n") if line]
        if any(len(word) != 3 for word in words):
            raise ArgRuntimeError(f"dataset: {path.name!r}: a line has not a word and two tags")
        if words:
            yield tuple(np.array(column) for column in zip(*words, strict=True))


UDPOS_FILES = {
    part: f"en-ud-tag.v2.{name}.txt" for part, name in (("valid", "dev"), ("test", "test"), ("train", "train"))
}


class UDPOSDataset(CorpusWithWorkersLast):
    """Sentences with parts of speech: arrays of ``word``, ``universal`` and ``stanford`` tags.

    The files are ``en-ud-tag.v2.train.txt``, ``dev`` (usage ``valid``) and ``test``.
    """

    files = UDPOS_FILES
    columns, usages = ("word", "universal", "stanford"), TRAIN_VALID_TEST
    reader = partial(read_tagged, delimiter="\t")


class CoNLL2000Dataset(CorpusWithWorkersLast):
    """Sentences with chunks: arrays of ``word``, ``pos_tag`` and ``chunk_tag``, of ``train.txt`` and ``test.txt``."""

    files, columns = {"test": "test.txt", "train": "train.txt"}, ("word", "pos_tag", "chunk_tag")
    reader = partial(read_tagged, delimiter=" ")


# ---- questions and translations --------------------------------------------------------------------

NO_ANSWER = 2**32 - 1


def _read_squad(path: Path) -> Iterator[tuple[object, ...]]:
    """(context, question, the texts of the answers, their positions) of the questions in a JSON file."""
    try:
        articles = json.loads(read_text(path))["data"]
        for paragraph in (paragraph for article in articles for paragraph in article["paragraphs"]):
            for question in paragraph["qas"]:
                texts = [answer["text"] for answer in question["answers"]] or [""]
                starts = [answer["answer_start"] for answer in question["answers"]] or [NO_ANSWER]
                yield paragraph["context"], question["question"], np.array(texts), np.array(starts, np.uint32)
    except (KeyError, TypeError, ValueError) as error:
        raise ArgRuntimeError(f"SQuADDataset: {path.name!r} is not in the format of SQuAD: {error!r}") from None


class SQuADDataset(Corpus):
    """Questions about texts (Rajpurkar et al. 2016): ``context``, ``question``, and arrays ``text``, ``answer_start``.

    The files are ``train-v1.1.json`` and ``dev-v1.1.json``, or those of version 2.0. A question without an answer has
    the text ``""`` and the start 4294967295.
    """

    columns = ("context", "question", "text", "answer_start")
    usages, reader = ("train", "dev", "all"), staticmethod(_read_squad)

    def files_in(self, folder: Path) -> Mapping[str, str]:
        """The names of the files by usage, of version 1.1 if the folder has one of it."""
        version = "1.1" if any(folder.glob("*-v1.1.json")) else "2.0"
        return {part: f"{part}-v{version}.json" for part in ("train", "dev")}


MULTI30K_FILES = {"test": "mmt16_task1_test/test", "train": "training/train", "valid": "validation/val"}


class Multi30kDataset(RowFiles):
    """Captions of images and their translations (Elliott et al. 2016), ``text`` and ``translation``.

    ``language_pair`` is ``["en", "de"]`` or the reverse. The files are ``training/train``, ``validation/val`` and
    ``mmt16_task1_test/test``, each with the endings ``.en`` and ``.de``.
    """

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        language_pair: Sequence[str] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: object = None,
    ) -> None:
        folder, chosen = check_folder(dataset_dir), check_member_of("usage", usage, ("train", "test", "valid", "all"))
        languages = list(language_pair or ("en", "de"))
        if sorted(languages) != ["de", "en"]:
            raise ArgValueError(f"language_pair can only be ['en', 'de'] or ['de', 'en'], but got {language_pair}")
        files = [folder / path for key, path in MULTI30K_FILES.items() if chosen in (key, "all")]

        def read(path: Path) -> Iterator[tuple[str, str]]:
            texts = [[line for (line,) in read_lines(Path(f"{path}.{language}"))] for language in languages]
            if len(texts[0]) != len(texts[1]):
                raise ArgRuntimeError(f"Multi30kDataset: {path.name!r} has not as many lines in both languages")
            return zip(*texts, strict=True)

        super().__init__(files, ["text", "translation"], read, num_samples, shuffle, num_shards, shard_id)
