"""``python -m benchmarks.torch_models``: import networks from torch, compare them with torch, write the page.

Needs torch, torchvision, timm and transformers. Records are kept in a folder, so that the command can be interrupted::

    python -m benchmarks.torch_models --keep FOLDER             check the networks without a record, write the page
    python -m benchmarks.torch_models --keep FOLDER timm.dla34  check these networks again
    python -m benchmarks.torch_models --keep FOLDER --failed    check those again that failed
    python -m benchmarks.torch_models --keep FOLDER --page-only write the page from the records
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.torch_models.page import page
from minigraph.core.files import write_atomically

PAGE = Path(__file__).parents[1] / "torch_models.md"
WORKER = (sys.executable, "-m", "benchmarks.torch_models.check")


def main() -> None:
    """Check networks and write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.torch_models", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("name", nargs="*", help="networks to check again")
    parser.add_argument("--keep", type=Path, required=True, metavar="FOLDER", help="folder of the records")
    parser.add_argument("--failed", action="store_true", help="check networks again that failed")
    parser.add_argument("--page-only", action="store_true", help="check nothing, write the page")
    parser.add_argument("--page", type=Path, default=PAGE, metavar="FILE", help="where the page is written")
    arguments = parser.parse_args()
    arguments.keep.mkdir(parents=True, exist_ok=True)
    records = read_records(arguments.keep)
    repeated = {name for name, record in records.items() if arguments.failed and "failed" in record} | {*arguments.name}
    listing = (*WORKER[:2], "benchmarks.torch_models.architectures")
    names = subprocess.run(listing, check=True, capture_output=True, encoding="utf-8").stdout.split()
    for name in repeated:
        (arguments.keep / f"{name}.json").unlink(missing_ok=True)
    selection = () if arguments.page_only else arguments.name or names
    check_all([name for name in selection if not (arguments.keep / f"{name}.json").exists()], arguments.keep)
    write_atomically(arguments.page, page(read_records(arguments.keep), names))


def check_all(names: Sequence[str], folder: Path) -> None:
    """Check networks in one process; after a crash the next ones in another."""
    waiting = list(names)
    while waiting:
        subprocess.run([*WORKER, folder, *waiting], check=False)
        remaining = [name for name in waiting if not (folder / f"{name}.json").exists()]
        if remaining:
            crash_record = {
                "name": remaining[0],
                "failed": "process",
                "reason": "the process ended, perhaps without memory",
            }
            write_atomically(folder / f"{remaining[0]}.json", json.dumps(crash_record))
        waiting = remaining[1:]


def read_records(folder: Path) -> dict[str, dict[str, Any]]:
    """The records in a folder, by network."""
    records = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]
    return {record["name"]: record for record in records}


if __name__ == "__main__":
    main()
