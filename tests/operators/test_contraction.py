"""Einsum: explicit equations, errors, work."""

import numpy as np

from minigraph import Tensor, errors, grad, ops
from minigraph.core.op import TABLE, apply
from minigraph.core.types import TensorType, float32
from minigraph.operators.contraction import explicit_equation
from tests.tables import cases, error_cases

A, B = Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[5.0, 6.0], [7.0, 8.0]])


@cases(
    ("ij,jk", (2, 2), "ij,jk->ik"),
    ("ba", (2,), "ba->ab"),
    ("i j -> j", (2,), "ij->j"),
    ("ii", (2,), "ii->"),
    (",", (0, 0), ",->"),
)
def test_the_result_is_made_explicit(equation, ranks, full):
    assert explicit_equation(equation, ranks) == full


def einsum(equation, *tensors):
    return apply("einsum", *tensors, equation=equation)


test_wrong_equations_and_sizes_are_refused = error_cases(
    (("ij,jk->ii", A, B), "einsum: the result 'ii' of 'ij,jk->ii' repeats a letter or has a new one"),
    (("ij,jk->x", A, B), "einsum: the result 'x' of 'ij,jk->x' repeats a letter or has a new one"),
    (("ij,j", A, B), r"einsum: 'ij,j' names axes of ranks \[2, 1\], the tensors have \[2, 2\]"),
    (("ij", A, B), r"einsum: 'ij' names axes of ranks \[2\], the tensors have \[2, 2\]"),
    (("...j,jk", A, B), "einsum: '...j,jk' is not an equation like 'ij,jk->ik' in .*; use letters only, no '...'"),
    (("ij,jk->ik", A, ops.ones((3, 2))), "einsum: 'j' of 'ij,jk->ik' has the sizes 2 and 3"),
    (("ij",), "einsum: needs at least one tensor"),
    by=lambda call: einsum(*call),
    error=errors.MinigraphError,
)


def test_the_gradient_of_a_diagonal_is_on_the_diagonal():
    square, cube = ops.arange(9.0).reshape(3, 3), ops.arange(27.0).reshape(3, 3, 3)
    gradients = [
        grad(lambda x: (einsum("ii->i", x) * Tensor([1.0, 2.0, 3.0])).sum())(square).tolist(),
        grad(lambda x: einsum("ii->", x))(square).tolist(),
        grad(lambda x: einsum("iii->", x))(cube).sum().item(),
        grad(lambda x: einsum("bii->b", x).sum())(cube).tolist(),
        grad(lambda x: einsum("iji,jk->k", x, square).sum())(cube).tolist(),
    ]
    rows = np.einsum("il,j->ijl", np.eye(3), square.asnumpy().sum(axis=1)).tolist()
    assert gradients == [np.diag([1, 2, 3]).tolist(), np.eye(3).tolist(), 3, np.stack([np.eye(3)] * 3).tolist(), rows]


def work_of(equation, *shapes, out):
    types = [TensorType(shape, float32) for shape in shapes]
    return TABLE["einsum"].work(TensorType(out, float32), *types, equation=equation)


def test_work_is_a_matrix_product_where_two_tensors_share_summed_letters():
    # letters summed over two tensors are a matrix product
    work = work_of("ij,jk->ik", (2, 3), (3, 4), out=(2, 4))
    assert [product[:4] for product in work.macs] == [(1, 2, 3, 4)]
    assert not work.lanes and work.exact
    assert work_of("bhqd,bhkd->bhqk", (2, 3, 5, 7), (2, 3, 11, 7), out=(2, 3, 5, 11)).macs[0][:4] == (6, 5, 7, 11)
    assert work_of("ij,ij->", (2, 3), (2, 3), out=()).macs[0][:4] == (1, 1, 6, 1)
    # other work is one product and sum per combination
    assert dict(work_of("ij->j", (2, 3), out=(3,)).lanes) == {"simple": 2 * 2 * 3}
    assert dict(work_of("i,j->ij", (2,), (3,), out=(2, 3)).lanes) == {"simple": 2 * 2 * 3}
    assert not work_of("ij,jk,kl->il", (2, 3), (3, 4), (4, 5), out=(2, 5)).exact
