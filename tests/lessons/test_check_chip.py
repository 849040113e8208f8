"""Right and wrong answers of the lessons themselves are in tests/test_tutorials.py."""

import pytest

from minigraph import float16, ops
from minigraph.lessons import WrongAnswerError, check_chip, check_projections, check_schedule, numbers
from minigraph.npu import Schedule
from minigraph.npu.chips.chip_file import load_chip

HALVES = tuple(numbers(seed, 1024, 1024).astype(float16) for seed in (0, 1))


def three_products(x, wq, wk, wv):
    return x @ wq, x @ wk, x @ wv


def wasteful_chip(x, w):
    y = x @ w
    for _ in range(8):
        y = y + ops.softmax(y) * 0.0
    return y[:, :64], y[:, 64:128], y[:, 128:]


def test_one_product_with_expensive_other_operators_is_refused():
    x, weights = numbers(0, 256, 512), [numbers(i, 512, 64) for i in range(1, 4)]
    with pytest.raises(WrongAnswerError, match="besides the product there is"):
        check_projections(three_products, wasteful_chip, x, weights)


# ---- a schedule ----------------------------------------------------------------------------------------


def test_a_schedule_close_to_the_best_passes_if_its_tile_fits(capsys):
    check_schedule(lambda x, w: x @ w, HALVES, Schedule(base=(128, 128, 128)))
    assert "the simulator's own choice needs" in capsys.readouterr().out
    with pytest.raises(WrongAnswerError, match="bytes of L0A"):
        check_schedule(lambda x, w: x @ w, HALVES, Schedule(base=(512, 16, 128)))


# ---- a chip --------------------------------------------------------------------------------------------


@pytest.fixture
def make(tmp_path):
    def variant(lines):
        file = tmp_path / "what_if.toml"
        file.write_text(f'base = "ascend910b1"\n[chip]\ntitle = "x"\n{lines}\n')
        return load_chip(file)

    return variant


def parameters(section, **values):
    return f"[{section}]\n" + "".join(f'{k} = {{v = {v}, src = "x", grade = "U"}}\n' for k, v in values.items())


def test_a_larger_cache_is_an_answer_too(make, capsys):
    check_chip(parameters("buf", l2=3 * 201326592), make, ops.zeros((8192, 8192)))
    assert capsys.readouterr().out.startswith("Right: with buf.l2 = 603979776")


WRONG_PARAMETERS = [
    (parameters("vector", bytes=512), "vector.bytes = 512, it takes 100% of the time: still memory-bound"),
    (parameters("pool", gm=3, gm_roof=4, gm_write=3), "3 parameters differ"),
    ("[pool", "Expected"),
    (parameters("pool", gmm=3), "did you mean 'gm'"),
]


@pytest.mark.parametrize(("lines", "message"), WRONG_PARAMETERS)
def test_wrong_parameters_are_refused(lines, message, make):
    with pytest.raises(WrongAnswerError, match=message):
        check_chip(lines, make, ops.zeros((8192, 8192)))
