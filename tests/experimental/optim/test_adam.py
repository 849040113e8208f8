"""Adam and its variants: values of MindSpore 2.10, in both modes."""

import pytest

import minigraph as ms
from minigraph.experimental import optim
from tests.experimental.optim.values import check_values

VALUES = [
    (optim.Adam, {"lr": 0.1, "weight_decay": 0.1},
     [[0.9, 2.1, -3.1, 0.4], [0.85449, 2.08845, -3.09876, 0.21909], [0.48532, 2.36617, -3.39756, -0.1498]]),
    (optim.Adam, {"amsgrad": True, "lr": 0.1},
     [[0.9, 2.1, -3.1, 0.4], [0.87168, 2.12832, -3.12832, 0.21947], [0.5237, 2.4763, -3.4763, -0.14888]]),
    (optim.AdamW, {"lr": 0.1, "amsgrad": True},
     [[0.899, 2.098, -3.097, 0.3995], [0.86888, 2.12213, -3.11913, 0.21826], [0.51719, 2.4589, -3.45093, -0.1504]]),
    (optim.Adamax, {"weight_decay": 0.1, "lr": 0.1},
     [[0.9, 2.1, -3.1, 0.4], [0.85712, 2.08941, -3.09805, 0.26671], [0.50051, 2.29108, -3.33303, 0.07562]]),
    (optim.RAdam, {"lr": 0.1, "weight_decay": 0.1},
     [[0.89, 2.08, -3.17, 0.195], [0.84305, 2.06743, -3.1647, -0.20786], [0.70021, 2.14994, -3.34326, -0.48759]]),
    (optim.NAdam, {"lr": 0.1, "weight_decay": 0.1},
     [[0.89435, 2.10565, -3.10565, 0.39435], [0.88709, 2.07416, -3.08099, 0.30011],
     [0.52494, 2.38218, -3.40378, 0.1253]]),
]  # fmt: skip


@pytest.mark.parametrize("wrap", [lambda optimizer: optimizer, ms.jit], ids=["pynative", "jit"])
@pytest.mark.parametrize(("kind", "settings", "expected"), VALUES)
def test_values_after_some_steps(kind, settings, expected, wrap) -> None:
    check_values(kind, settings, expected, wrap)
