"""Helpers of the tutorial programs: run a part of a program, fill weights with seeded numbers, show values."""

import numpy as np

rng = np.random.RandomState(0)


def part(fn):
    """Run the function at once under a heading; an error prints its class and first line."""
    print("##", fn.__name__)
    rng.seed(0)
    try:
        fn()
    except Exception as e:
        lines = [line for line in str(e).splitlines() if line.strip()]
        print("->", type(e).__name__, lines[0][:150] if lines else "")
    return fn


def fill(net, seed=0, scale=0.3):
    """Set every Parameter of a network to numbers of the seed; positive ones for variances and BatchNorm's gamma."""
    numbers_of = np.random.RandomState(seed)
    for p in net.get_parameters():
        values = numbers_of.randn(*p.shape) * scale
        if p.name.endswith(("variance", "gamma")):
            values = np.abs(values) + 0.5
        p.set_data(type(p.value())(values.astype(p.asnumpy().dtype)))
    return net


def show(x, digits=3):
    """Shape, dtype and values of each tensor, or their sum if there are many; nested as given."""
    if isinstance(x, (tuple, list)):
        return [show(i, digits) for i in x]
    if isinstance(x, dict):
        return {k: show(v, digits) for k, v in x.items()}
    if hasattr(x, "asnumpy"):
        a = x.asnumpy()
        return f"{tuple(x.shape)} {x.dtype} {numbers(a, digits)}"
    if isinstance(x, np.ndarray):
        return f"{x.shape} {x.dtype} {numbers(x, digits)}"
    return round(x, digits) if isinstance(x, float) else x


def numbers(a, digits):
    if a.dtype.kind in "OSU":
        return a.tolist()
    if a.dtype.kind in "fc" and a.size:
        if a.size > 12:
            a = a.astype(np.float64)
            return f"sum {a.sum():.{digits}f} abs {np.abs(a).mean():.{digits}f}"
        return (np.round(a.astype(np.complex128 if a.dtype.kind == "c" else np.float64), digits) + 0).tolist()
    return a.tolist() if a.size <= 24 else f"sum {a.astype(np.int64).sum()}"
