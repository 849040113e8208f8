"""Tests of the reference program; ``EITHER`` runs a test on the accelerated one as well."""

import pytest

from minigraph.core.context import set_context


@pytest.fixture(autouse=True)
def program_kind(fresh: None, request: pytest.FixtureRequest) -> str:
    kind: str = getattr(request, "param", "plain")
    set_context(accel=kind == "accelerated", kernel_backend="numpy")
    return kind
