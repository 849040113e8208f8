"""Efficiency bands of the classes of kernels: which jobs have one, and where they come from."""

import pytest

from benchmarks.ascend.bands import bands, bands_toml, cross_validated_hits, ratios, rows_in_band
from benchmarks.ascend.jobs import SOFTMAX, attention, convolution, elementwise, matmul, rows, transposition
from minigraph.core.op_fields import Work
from minigraph.core.types import float32
from minigraph.npu.efficiency import EFFICIENCIES, FILE, band_legend, efficiency_of, kernel_class
from minigraph.npu.tiling.plan import Job

ESTIMATE = Job(Work(read=64, written=64, exact=False), float32, 16, "vector")


@pytest.mark.parametrize("job, kernel", [
    (matmul(16, 16, 16), "product"), (convolution(1, 16, 8, 8, 16), "convolution"),
    (convolution(1, 16, 8, 8, 16, kernel=1), "convolution"), (attention(16, 16, 16), "attention"),
    (rows(4, 16, SOFTMAX, True), "reduction"), (elementwise(64, 2, 1, {"simple": 1}), "elementwise"),
    (transposition(64, 0), ""), (ESTIMATE, ""),
])  # fmt: skip
def test_the_class_of_a_kernel_follows_from_its_work(job, kernel):
    assert kernel_class(job) == kernel
    assert efficiency_of([job]) == EFFICIENCIES.get(kernel)


def test_the_band_of_a_loop_covers_the_bands_of_its_body():
    product, softmax = matmul(16, 16, 16), rows(4, 16, SOFTMAX, True)
    band = efficiency_of([Job(Work(), float32, 1, "none", inside=((product, 3), (softmax, 2)))])
    parts = [EFFICIENCIES[name] for name in ("product", "reduction")]
    assert band[:3] == ("product and reduction", min(part.lo for part in parts), max(part.hi for part in parts))
    assert efficiency_of([product, ESTIMATE]) is None and efficiency_of([]) is None


def test_the_committed_bands_fit_the_published_rows():
    """Run ``python -m benchmarks.ascend`` after a change to the model."""
    assert FILE.read_text("utf-8") == bands_toml()
    assert all(f"{band.lo:g} to {band.hi:g} ({name})" in band_legend() for name, band in EFFICIENCIES.items())


def test_bands_hold_four_fifths_of_the_rows_they_were_not_fitted_to_and_are_no_wider_than_a_factor_two():
    for band in bands():
        assert band.hi <= 2 * band.lo and len(rows_in_band()[band.kernel]) > band.rows / 2, band
    assert sum(map(len, rows_in_band().values())) >= 0.8 * len(ratios())
    inside, count = cross_validated_hits()
    assert inside >= 0.8 * count > 50
