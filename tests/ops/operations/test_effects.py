"""Primitives of ordering, printing and identities."""

from minigraph import Tensor, ops


def test_depend_returns_its_first_operand_and_identities_return_all():
    assert ops.Depend()(Tensor([1.0]), Tensor([2.0])).tolist() == [1.0]
    assert [y.tolist() for y in ops.IdentityN()((Tensor(1), Tensor(2)))] == [1, 2]
