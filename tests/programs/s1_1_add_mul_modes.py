import minigraph as ms
# Source 1, listings 1+2 (PyNative debugging, then Graph mode).  Both run as published (device CPU).
import numpy as np
ops, Tensor = ms.ops, ms.Tensor
ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")


def custom_operation(x, y):
    z = ops.add(x, y)
    print(f"Debug Info - Intermediate value z: {z}")
    res = ops.mul(z, 2.0)
    return res


x = Tensor(np.ones([2, 2]), ms.float32)
y = Tensor(np.ones([2, 2]), ms.float32)
output = custom_operation(x, y)
print(f"Final Output:\n{output}")

ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")


def custom_operation_fast(x, y):            # a plain function: GRAPH_MODE does not compile it
    z = ops.add(x, y)
    res = ops.mul(z, 2.0)
    return res


output = custom_operation_fast(x, y)
print(f"Graph Mode Output:\n{output}")
print(repr(output))
