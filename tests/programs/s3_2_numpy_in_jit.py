import minigraph as ms
# Source 3, section 4.1: "numpy cannot be compiled".  On 2.10 error_func fails at RUN time (not compile time) and
# only because Tensor + ndarray is refused: wrapping the ndarray in Tensor() makes it work via Python fallback.
import numpy as np
ops, Tensor = ms.ops, ms.Tensor
ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
x = Tensor(np.array([0.1, 0.2, 0.3], np.float32))


@ms.jit
def error_func(x):
    return x + np.sin(x.asnumpy())


@ms.jit
def fallback_func(x):
    return x + Tensor(np.sin(x.asnumpy()))


@ms.jit
def correct_func(x):
    return x + ops.sin(x)


try:
    print(error_func(x))
except Exception as e:
    print(type(e).__name__, str(e).split("\n")[0])
print("fallback", fallback_func(x), fallback_func(x + 1))
print("correct ", correct_func(x), correct_func(x + 1))


@ms.jit(fullgraph=True)
def strict_func(x):
    return x + Tensor(np.sin(x.asnumpy()))


try:
    print(strict_func(x))
except Exception as e:
    print(type(e).__name__, str(e)[:98])
