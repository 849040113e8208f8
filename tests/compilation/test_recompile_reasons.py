"""The reason of each compilation."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, grad, jacfwd, jacrev, jit, set_context, value_and_grad, vmap
from minigraph import dtype as mstype
from minigraph.compilation.entry_table import WARN_AFTER
from minigraph.compilation.recompile_reasons import RecompileWarning, recompile_reason
from minigraph.core.pytree import flatten

X = Tensor([1.0, 2.0])

CALLS = [
    ([(X, 1), (Tensor([1.0]), 1)], "new shapes (f32[1])"),
    ([(X, 1), (X.astype(mstype.float64), 1)], "new dtypes (f64[2])"),
    ([(X, 1), (Tensor([1]), 1)], "new dtypes (i64[1])"),
    ([(X, 2.0), (X, 3.0)], "a new value: 3.0 (f32[2])"),
    ([(X, 1), (X, True)], "a new value: True (f32[2])"),
    ([(X, 0.0), (X, -0.0)], "a new value: -0.0 (f32[2])"),
    ([(X, "same"), (X, "valid")], "a new value: 'valid' (f32[2])"),
    ([(X, (1, 2)), (X, (1, 3))], "a new value: 3 (f32[2])"),
    ([(X, {"a": 1}), (X, {"b": 1})], "another argument structure (f32[2])"),
    ([(X, [1]), (X, (1,))], "another argument structure (f32[2])"),
    ([(X, 1), (X, X)], "another argument structure (f32[2], f32[2])"),
]


@pytest.mark.parametrize(("calls", "why"), CALLS, ids=lambda item: item if isinstance(item, str) else None)
def test_the_reason_names_the_difference(calls, why):
    compiled = jit(lambda x, other: x * 2.0)
    for call in calls:
        compiled(*call)
    assert compiled.cache_info().reasons == (compiled.cache_info().reasons[0], why)
    assert compiled.cache_info().reasons[0].startswith("first call (")


def test_another_pipeline_backend_or_number_of_threads():
    compiled, number = jit(lambda x: x + x), {"runtime_num_threads": 1}
    for settings in ({}, {"pipeline": "none"}, {"kernel_backend": "numpy"}, {"kernel_backend": "auto", **number}):
        set_context(**settings)
        compiled(X)
    set_context(runtime_num_threads=2)
    set_context(**number)
    compiled(X)
    info = compiled.cache_info()
    assert (info.hits, info.misses) == (1, 4)
    assert info.reasons[1] == "another pipeline in the context (f32[2])"
    assert info.reasons[2].startswith("another kernel_backend in the context")
    assert info.reasons[3].startswith("another kernel_backend and runtime_num_threads in the context")


@pytest.mark.parametrize("transform", [grad, value_and_grad, vmap, jacrev, jacfwd], ids=lambda fn: fn.__name__)
def test_a_warning_of_a_transformed_function_names_it_and_its_arguments(transform):
    def loss(image, scale=1.0):
        return (image * scale).sum()

    compiled = jit(transform(loss))
    with pytest.warns(RecompileWarning) as shown:
        for size in range(1, WARN_AFTER + 1):
            compiled(Tensor(np.ones((size, 1), np.float32)))
    assert f"jit '{transform.__name__}(loss)': compiled" in str(shown[0].message)
    assert "shapes of argument 'image'" in str(shown[0].message)


def test_arguments_that_change_together_are_named_together():
    compiled = jit(lambda image, label, scale: (image * scale).sum() + label.sum())
    with pytest.warns(RecompileWarning, match="shapes of arguments 'image' and 'label' .*; pad 'image' and 'label' to"):
        for size in range(1, WARN_AFTER + 1):
            compiled(*[Tensor(np.ones((size, 1), np.float32))] * 2, X.sum())


def test_a_first_call_and_a_value_of_any_length():
    assert recompile_reason(((), flatten(1, callable)[1], ()), []) == "first call"
    long = recompile_reason(((), flatten("x" * 500, callable)[1], ()), [((), flatten("", callable)[1], ())])
    assert len(long) < 120


# ---- MindSpore's own list of when it compiles ----------------------------------------------------------


def scale(x, other=1.0):
    return x * 2.0


W = Parameter(Tensor([1.0, 2.0]), name="w")
V = Parameter(Tensor([3.0, 4.0]), name="v")


WHEN = [
    pytest.param([(X,), (X + 1,), (Tensor([5.0, 6.0]),)], 1, id="same types, other tensors"),
    pytest.param([(X,), (X[:1],), (X,), (X.astype(mstype.float64),), (X,)], 3, id="old entries are kept"),
    pytest.param([(X,), (W,), (V,), (X,)], 1, id="Tensor, Parameter, another Parameter; MindSpore: each anew"),
    pytest.param([(X, 2.0), (X, 3.0), (X, 2.0), (X, 2), (X, True), (X, 3.0)], 4, id="a number: once per value"),
    pytest.param([(X, Tensor(2.0)), (X, Tensor(3.0))], 1, id="a 0-d tensor is no constant"),
    pytest.param([(X, (X, X)), (X, (X + 1, X)), (X, (X, W))], 1, id="a tuple of tensors; MindSpore: each call"),
    pytest.param([(X, [X]), (X, [X + 1]), (X, [W])], 1, id="a list; MindSpore: each call"),
    pytest.param([(X, {"a": X}), (X, {"a": -X})], 1, id="a dict of tensors"),
]


@pytest.mark.parametrize(("calls", "compiles"), WHEN)
def test_when_it_compiles(calls, compiles):
    compiled = jit(scale)
    for call in calls:
        compiled(*call)
    info = compiled.cache_info()
    assert (info.misses, info.hits, info.entries, len(info.reasons)) == (
        compiles,
        len(calls) - compiles,
        *[compiles] * 2,
    )


def test_another_parameter_under_a_name_compiles_once_per_parameter(monkeypatch):
    compiled = jit(lambda x: x * W)
    for parameter in (W, V, V, W):
        monkeypatch.setitem(globals(), "W", parameter)
        assert compiled(X).tolist() == (X * parameter).tolist()
    assert compiled.cache_info().misses == 2
    assert compiled.cache_info().reasons[1] == "'W' changed (f32[2])"


@pytest.mark.parametrize("dynamic", [0, 1])
def test_every_size_compiles_once_for_any_dynamic_and_a_new_jitted_function_has_its_own_cache(dynamic):
    compiled = jit(scale, dynamic=dynamic)
    for size in (2, 3, 4, 5, 6, 2, 3, 4, 5, 6):
        assert compiled(Tensor([1.0] * size)).tolist() == [2.0] * size
    assert compiled.cache_info()[:2] == (5, 5)
    assert jit(scale).cache_info().misses == 0
