"""``repr`` of tensors, compared with the output of MindSpore 2.10 for the same values."""

import numpy as np
import pytest

from minigraph import Tensor, bfloat16, float16, float32, int32

ROW_OF_ONES = "[ 1.00000000e+00,  1.00000000e+00]"
SPREAD = "[ 1.00000001e-10,  1.00000000e+00,  1.00000000e+10]"
TWELVE = ", ".join([" 1.5000e+00"] * 12)
BFLOATS = "        nan,         inf, 9.99922e+09"
FROM_MINDSPORE = [  # the text inside Tensor(...)
    (Tensor(1.0), "shape=[], dtype=Float32, value= 1"),
    (Tensor(1), "shape=[], dtype=Int64, value= 1"),
    (Tensor(True), "shape=[], dtype=Bool, value= True"),
    (Tensor([1, 2]), "shape=[2], dtype=Int64, value= [1, 2]"),
    (Tensor([0.1, 0.2]), "shape=[2], dtype=Float32, value= [ 1.00000001e-01,  2.00000003e-01]"),
    (Tensor(np.ones((2, 2))), f"shape=[2, 2], dtype=Float64, value=\n[{ROW_OF_ONES},\n {ROW_OF_ONES}]"),
    (Tensor(np.ones((1, 2), np.float32)), f"shape=[1, 2], dtype=Float32, value=\n[{ROW_OF_ONES}]"),
    (Tensor([[True, False]]), "shape=[1, 2], dtype=Bool, value=\n[[ True, False]]"),
    (Tensor(3, float16), "shape=[], dtype=Float16, value= 3"),
    (Tensor([1.5, -2.0], float16), "shape=[2], dtype=Float16, value= [ 1.5000e+00, -2.0000e+00]"),
    (Tensor([1e-10, 1.0, 1e10]), f"shape=[3], dtype=Float32, value= {SPREAD}"),
    (Tensor([np.nan, np.inf]), "shape=[2], dtype=Float32, value= [            nan,             inf]"),
    (Tensor([]), "shape=[0], dtype=Float32, value= "),
    (Tensor(np.zeros((2, 0, 3), np.float32)), "shape=[2, 0, 3], dtype=Float32, value=\n"),
    (Tensor(Tensor([1, 2]), float32), "shape=[2], dtype=Float32, value= [ 1.00000000e+00,  2.00000000e+00]"),
    (Tensor([1, 20, -300]), "shape=[3], dtype=Int64, value= [   1,   20, -300]"),
    (Tensor([1.5] * 13, float16), f"shape=[13], dtype=Float16, value= [{TWELVE}, \n  1.5000e+00]"),
    (Tensor([True] * 12), f"shape=[12], dtype=Bool, value= [{', '.join([' True'] * 12)}\n ]"),
    (Tensor([7] * 24), f"shape=[24], dtype=Int64, value= [{', '.join(['7'] * 24)}\n ]"),
    (Tensor([True, False]), "shape=[2], dtype=Bool, value= [ True, False]"),
    (Tensor(1.8928355), "shape=[], dtype=Float32, value= 1.89284"),
    (Tensor(1e-8), "shape=[], dtype=Float32, value= 1e-08"),
    (Tensor([3, -1], int32), "shape=[2], dtype=Int32, value= [ 3, -1]"),
    (Tensor(np.zeros((2, 2, 1), np.int32)), "shape=[2, 2, 1], dtype=Int32, value=\n[[[0],\n  [0]],\n [[0],\n  [0]]]"),
    (Tensor([1.5, 2.25, -3.0], bfloat16), "shape=[3], dtype=BFloat16, value= [ 1.5, 2.25,   -3]"),
    (Tensor([np.nan, np.inf, 1e10], bfloat16), f"shape=[3], dtype=BFloat16, value= [{BFLOATS}]"),
    (Tensor([[1.5, 2]], bfloat16), "shape=[1, 2], dtype=BFloat16, value=\n[[1.5,   2]]"),
    (Tensor(2 + 3j), "shape=[], dtype=Complex128, value= 2+3j"),
]


@pytest.mark.parametrize(("tensor", "text"), FROM_MINDSPORE, ids=lambda value: value if isinstance(value, str) else "")
def test_repr_is_mindspores(tensor, text):
    assert repr(tensor) == f"Tensor({text})"


def test_containers_print_the_repr_of_their_tensors():
    text = str((Tensor([1.0]), [Tensor(2)], {"a": Tensor([3])}))
    assert text == (
        "(Tensor(shape=[1], dtype=Float32, value= [ 1.00000000e+00]), [Tensor(shape=[], dtype=Int64, value= 2)], "
        "{'a': Tensor(shape=[1], dtype=Int64, value= [3])})"
    )


def test_every_axis_longer_than_six_is_cut_from_rank_two_on():
    rows = [f"[{n}0, {n}1, {n}2 ... {n}7, {n}8, {n}9]" for n in (" ", 1, 2, 5, 6, 7)]
    rows[0] = "[ 0,  1,  2 ...  7,  8,  9]"
    lines = ",\n ".join([*rows[:3], "...", *rows[3:]]).replace("...,\n", "...\n")
    assert repr(Tensor(np.arange(80).reshape(8, 10))).endswith(f"value=\n[{lines}])")


@pytest.mark.parametrize(("size", "cut"), [(7, False), (1000, False), (1001, True)])
def test_a_vector_is_cut_only_above_a_thousand(size, cut):
    assert (" ... " in repr(Tensor(np.zeros(size)))) is cut


def test_columns_are_as_wide_as_the_printed_elements():
    hidden = np.zeros((1, 9), np.int64)
    hidden[0, 4] = -(10**6)
    assert "[[0, 0, 0 ... 0, 0, 0]]" in repr(Tensor(hidden))
    wide = repr(Tensor(np.array([1e-300, -1.0])))
    assert "[1.00000000e-300, -1.00000000e+00]" in wide, "a wide exponent uses up the column of the sign"


def test_str_is_numpys():
    for array in (np.array([0.1, 0.25], np.float32), np.zeros((3, 3), np.int32), np.arange(2000)):
        assert str(Tensor(array)) == str(array)
