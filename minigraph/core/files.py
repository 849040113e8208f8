"""Atomic file writes: readers see the old file or the new one, also if the process is killed while it writes."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from minigraph.core.scope_guard import reraise_handler_error

PART = ".part"  # the suffix of temporary files, whose names begin with a dot


def decode_surrogates(text: str) -> str:
    """The text of an argument of the command line or a file name, whose bytes are surrogates in the C locale.

    >>> decode_surrogates("\\udcc3\\udca9.py")
    'é.py'
    """
    return text.encode(errors="surrogateescape").decode(errors="surrogateescape")


@contextmanager
def named_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let an ``OSError`` of the block name the file ``path``: that of a full disk names none, others a temporary file.

    >>> try:
    ...     with named_errors("net.ckpt"):
    ...         raise OSError(28, "No space left on device")
    ... except OSError as error:
    ...     print(error)
    [Errno 28] No space left on device: 'net.ckpt'
    """
    try:
        yield
    except OSError as error:
        reraise_handler_error(error)
        if error.errno is not None and error.filename2 is None:
            error.filename = str(path)
        raise


@contextmanager
def suppress_file_errors() -> Iterator[None]:
    """Ignore an ``OSError`` of the block; the ``TimeoutError`` of a signal handler is one as well, and is raised.

    >>> with suppress_file_errors():
    ...     open("missing.txt")
    """
    try:
        yield
    except OSError as error:
        reraise_handler_error(error)


@contextmanager
def replace_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A path to write to, next to ``path``: renamed to it at the end of the block, removed after an error.

    Creates missing folders, writes to the file that a link names, and keeps an old file's permissions. Raises
    ``OSError`` with the name ``path``, also for a device or pipe; after an error the old file is unchanged, and only a
    killed process leaves the temporary file.
    """
    with named_errors(path):
        target, process = _target(path), os.getpid()
    temporary = _temporary(target)
    try:
        with named_errors(path):
            yield temporary
            _keep_mode(temporary, target)
            os.replace(temporary, target)
    except BaseException:
        if os.getpid() == process:  # not at the end of one that was forked meanwhile
            _remove([temporary])
        raise


@contextmanager
def replace_files(paths: Sequence[str | os.PathLike[str]]) -> Iterator[list[Path]]:
    """Paths to write to, next to each of ``paths``, which belong together: after an error all old files are there.

    No renaming of several files is atomic. The old files are renamed, the last of ``paths`` first, and come back
    after an error; then the new ones, the last of ``paths`` last. So while old and new files are mixed, and after a
    process was killed then, that one is missing, and whoever requires it never reads a mix.
    """
    targets = list[Path]()
    for path in paths:
        with named_errors(path):
            targets.append(_target(path))
    temporaries, backups = [_temporary(target) for target in targets], [_temporary(target) for target in targets]
    created, are_replaced, process = None, False, os.getpid()
    try:
        yield temporaries
        for temporary, target in zip(temporaries, targets, strict=True):
            _keep_mode(temporary, target)
        created = [target for target in targets if not target.exists()]
        _rename([pair for pair in zip(targets, backups, strict=True) if pair[0] not in created][::-1])
        _rename(zip(temporaries, targets, strict=True))
        are_replaced = True
        _remove(backups)
    except BaseException:
        if os.getpid() != process:
            raise
        if are_replaced:  # an interrupt; the old files go nevertheless
            _remove(backups)
            raise
        if created is not None:
            with suppress_file_errors():  # the first error ends it, so that the last files stay missing
                for target in created[::-1]:
                    target.unlink(missing_ok=True)
                _rename(pair for pair in zip(backups, targets, strict=True) if pair[0].exists())
        _remove(temporaries)
        raise


def _target(path: str | os.PathLike[str]) -> Path:
    """The file that will be written, in a folder that exists; raises ``OSError`` for what is no file."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(f"cannot write {path}: it is a folder; give the name of a file")
    if target.exists() and not target.is_file():
        raise OSError(f"cannot write {path}: it is a device or pipe, not a file; give the name of a file")
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def _temporary(target: Path) -> Path:
    return target.with_name(f".{target.name[:40]}.{secrets.token_hex(6)}{PART}")


def _keep_mode(temporary: Path, target: Path) -> None:
    """Give a new file the permissions of the old one."""
    if target.exists():
        temporary.chmod(stat.S_IMODE(target.stat().st_mode))


def _rename(pairs: Iterable[tuple[Path, Path]]) -> None:
    for source, target in pairs:
        with named_errors(source if target.suffix == PART else target):
            os.replace(source, target)


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        with suppress_file_errors():
            path.unlink(missing_ok=True)


def write_atomically(path: str | os.PathLike[str], content: str | bytes, flush: bool = False) -> Path:
    """Write a whole file atomically, as ``replace_file`` does, and return its path.

    Text is written as UTF-8, with backslash escapes for lone surrogates. With ``flush`` it is on the disk before the
    old file goes, so that a power failure keeps one of them. Raises ``OSError``.
    """
    data = content.encode(errors="backslashreplace") if isinstance(content, str) else content
    with replace_file(path) as temporary, open(temporary, "xb") as file:
        file.write(data)
        if flush:
            file.flush()
            os.fsync(file.fileno())
    return Path(path)
