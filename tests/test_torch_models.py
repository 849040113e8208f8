"""The benchmark of imported networks: its page, and one small network where the libraries are installed."""

import json

import pytest

from benchmarks.torch_models.page import page

PASSED = {
    "name": "torch.lenet", "note": "", "parameters": 51902, "nodes": 27, "nodes after passes": 22, "located": 1.0,
    "error": 2.8e-7, "gradient error": 1.3e-6, "import s": 0.04,
}  # fmt: skip
FAILED = {"name": "timm.net", "failed": "import", "reason": "UnknownNameError: no ATen operator 'a|b'"}
NOT_EXPORTED = {"name": "timm.other", "failed": "export", "reason": "RuntimeError: data-dependent"}


def test_the_page_counts_exported_networks_and_names_every_reason():
    text = page({record["name"]: record for record in (PASSED, FAILED, NOT_EXPORTED)}, ["timm.net", "timm.later"])
    for line in (
        "timm.later",
        "| torch | 1 | 1 (100.0%) |",
        "| timm | 1 | 0 (0.0%) |",
        "| all | 2 | 1 (50.0%) |",
        "| timm.net | import | UnknownNameError: no ATen operator 'a\\|b' |",
        "| timm.other | export | RuntimeError: data-dependent |",
        "| torch.lenet |  | 51,902 | 27 | 22 | 100% | 3e-07 | 1e-06 | 0.04 |",
    ):
        assert f"{line}\n" in text


@pytest.mark.filterwarnings("ignore")
def test_a_network_passes_all_stages():
    for library in ("torch", "torchvision", "timm", "transformers"):
        pytest.importorskip(library)
    check = pytest.importorskip("benchmarks.torch_models.check")
    record = check.check("torch.perceptron")
    assert "failed" not in record, json.dumps(record)
    assert record["located"] == 1
