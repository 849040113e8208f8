import pytest

from minigraph.cli.target import shapes, target_named
from minigraph.compilation import Jitted
from minigraph.core.errors import UsageError
from minigraph.core.tensor import Tensor


def written(folder, text):
    (folder / "net.py").write_text(text)
    return folder / "net.py"


def test_a_function_of_a_file(program):
    target = target_named(f"{program}:attend")
    assert isinstance(target.function, Jitted) and target.name == "attend" and not target.is_digits
    assert "ops.softmax" in target.source
    assert shapes(target.inputs) == "f32[1,2], f32[2,2]"
    assert shapes((Tensor(1), 2.5)) == "i64[], 2.5"


def test_nothing_named_is_the_digits_program():
    target = target_named(None)
    assert target.is_digits and target.name == "train_step"


@pytest.mark.parametrize("text, told", [
    ("{0}:atend", "no function 'atend' in {0}; did you mean 'attend'?"),
    ("{0}", "'{0}' is not FILE.py:function, such as net.py:train_step, nor digits or vit"),
    ("{1}/nett.py:attend", "no file '{1}/nett.py'; did you mean 'net.py'?"),
    ("{1}/no/net.py:attend", "no file '{1}/no/net.py'"),
])  # fmt: skip
def test_wrong_names_are_told_with_the_nearest(program, text, told):
    names = program, program.parent
    with pytest.raises(UsageError) as caught:
        target_named(text.format(*names))
    assert str(caught.value) == told.format(*names)


F = "import numpy as np\ndef f(x):\n    return x\n"
MAKES = F + "def example_inputs():\n    "
NO_INPUTS = r"has no example_inputs\(\); add `def example_inputs"
UNFIT = {
    "fails": ("x = 1\ny = x / 0\n", r"does not run: ZeroDivisionError: division by zero \(net.py:2\)"),
    "leaves": ("import sys\nsys.exit(5)\n", r"does not run: SystemExit: 5 \(net.py:2\)"),
    "no inputs": (F, NO_INPUTS),
    "no function": (F + "example_inputs = (1, 2)\n", NO_INPUTS),
    "a failure": (
        MAKES + "raise ValueError('no data')",
        r"example_inputs\(\) of .*net.py fails: ValueError: no data \(net.py:5\)",
    ),
    "an array": (MAKES + "return np.ones(3)", r"example_inputs\(\) of .*net.py gives an array at 0; use Tensor"),
    "none": (MAKES + "return ()", r"gives 'f' 0 arguments: missing a required argument: 'x'"),
}


@pytest.mark.parametrize(("text", "told"), UNFIT.values(), ids=UNFIT)
def test_unfit_files_are_refused_in_one_line(tmp_path, text, told):
    with pytest.raises(UsageError, match=told):
        target_named(f"{written(tmp_path, text)}:f")


def test_the_maker_of_inputs_is_not_offered(tmp_path):
    with pytest.raises(UsageError, match="no function 'zz' in .*; known: f$"):
        target_named(f"{written(tmp_path, MAKES + 'return ()')}:zz")


def test_a_single_input_need_not_be_a_tuple(tmp_path):
    file = written(tmp_path, MAKES.replace("numpy as np", "minigraph as ms") + "return ms.Tensor(1.0)\n")
    assert shapes(target_named(f"{file}:f").inputs) == "f32[]"


def test_the_examples_have_names():
    assert target_named("digits").is_digits
    step = target_named("vit")
    assert (step.name, step.module.__name__, len(step.inputs)) == ("train_step", "minigraph.examples.vit", 2)
    assert not step.is_digits
