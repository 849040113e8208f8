"""Equations of letters: spelled out, refused, priced."""

import numpy as np
import pytest

from minigraph import Tensor, errors, grad
from minigraph.core.op import TABLE, apply
from minigraph.core.types import TensorType, float32
from minigraph.operators.contraction import spelled_out
from tests.tables import cases

A, B = Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[5.0, 6.0], [7.0, 8.0]])


@cases(
    ("ij,jk", (2, 2), "ij,jk->ik"),
    ("ba", (2,), "ba->ab"),
    ("i j -> j", (2,), "ij->j"),
    ("ii", (2,), "ii->"),
    (",", (0, 0), ",->"),
)
def test_the_result_is_named(equation, ranks, full):
    assert spelled_out(equation, ranks) == full


@cases(
    ("ij,jk->ii", "einsum: the result 'ii' of 'ij,jk->ii' repeats a letter or has a new one"),
    ("ij,jk->x", "einsum: the result 'x' of 'ij,jk->x' repeats a letter or has a new one"),
    ("ij,j", r"einsum: 'ij,j' names axes of ranks \[2, 1\], the tensors have \[2, 2\]"),
    ("ij", r"einsum: 'ij' names axes of ranks \[2\], the tensors have \[2, 2\]"),
    ("...j,jk", "einsum: '...j,jk' is no equation of letters in .*; write it like 'ij,jk->ik', without '...'"),
)
def test_wrong_equations_are_refused(equation, told):
    with pytest.raises(errors.MinigraphError, match=told):
        apply("einsum", A, B, equation=equation)


def test_sizes_must_agree():
    with pytest.raises(errors.MinigraphError, match="einsum: 'j' of 'ij,jk->ik' has the sizes 2 and 3"):
        apply("einsum", A, Tensor(np.ones((3, 2), np.float32)), equation="ij,jk->ik")
    with pytest.raises(errors.MinigraphError, match="einsum: needs at least one tensor"):
        apply("einsum", equation="ij")


def test_the_gradient_of_a_diagonal_is_refused_with_the_way_out():
    with pytest.raises(errors.MinigraphError, match="einsum: 'ii->i' takes a diagonal, .*; use ops.diagonal first"):
        grad(lambda x: apply("einsum", x, equation="ii->i"))(A)


def work_of(equation, *shapes, out):
    types = [TensorType(shape, float32) for shape in shapes]
    return TABLE["einsum"].work(TensorType(out, float32), *types, equation=equation)


def test_letters_summed_over_two_tensors_are_a_matrix_product():
    work = work_of("ij,jk->ik", (2, 3), (3, 4), out=(2, 4))
    assert [one[:4] for one in work.macs] == [(1, 2, 3, 4)]
    assert not work.lanes and work.exact
    assert work_of("bhqd,bhkd->bhqk", (2, 3, 5, 7), (2, 3, 11, 7), out=(2, 3, 5, 11)).macs[0][:4] == (6, 5, 7, 11)
    assert work_of("ij,ij->", (2, 3), (2, 3), out=()).macs[0][:4] == (1, 1, 6, 1)


def test_other_work_is_one_product_and_sum_per_combination():
    assert dict(work_of("ij->j", (2, 3), out=(3,)).lanes) == {"simple": 2 * 2 * 3}
    assert dict(work_of("i,j->ij", (2,), (3,), out=(2, 3)).lanes) == {"simple": 2 * 2 * 3}
    assert not work_of("ij,jk,kl->il", (2, 3), (3, 4), (4, 5), out=(2, 5)).exact
