import pytest

from minigraph.cli.target import argument_types, load_target
from minigraph.compilation import Jitted
from minigraph.core.errors import UsageError
from minigraph.core.tensor import Tensor
from tests.tables import error_of


def test_a_function_of_a_file(program):
    target = load_target(f"{program}:attend")
    assert isinstance(target.function, Jitted) and target.name == "attend" and not target.is_digits
    assert "ops.softmax" in target.source
    assert argument_types(target.inputs) == "f32[1,2], f32[2,2]"
    assert argument_types((Tensor(1), 2.5)) == "i64[], 2.5"


def test_nothing_named_is_the_digits_program_and_the_examples_have_names():
    target, step = load_target(None), load_target("vit")
    assert target.is_digits and target.name == "train_step"
    assert load_target("digits").is_digits
    assert (step.name, step.module.__name__, len(step.inputs)) == ("train_step", "minigraph.examples.vit", 2)
    assert not step.is_digits


@pytest.mark.parametrize("text, message", [
    ("{0}:atend", "no function 'atend' in {0}; did you mean 'attend'?"),
    ("{0}", (
        "'{0}' names no function; write {0}:FUNCTION; "
        "known: attend, count, identity, raises_error, returns_first, returns_none"
    )),
    ("{1}/nett.py", (
        "'{1}/nett.py' is not a program; expected FILE.py:function such as net.py:train_step, FILE.onnx, FILE.pt2, "
        "or an example: digits, vit"
    )),
    ("{1}/nett.py:attend", "no file '{1}/nett.py'; did you mean 'net.py'?"),
    ("{1}/no/net.py:attend", "no file '{1}/no/net.py'"),
])  # fmt: skip
def test_unknown_names_are_errors_with_the_closest_name(program, text, message):
    names = program, program.parent
    assert error_of(load_target, text.format(*names)) == f"UsageError: {message.format(*names)}"


F = "import numpy as np\ndef f(x):\n    return x\n"
MAKES = F + "def example_inputs():\n    "
INPUTS, NO_INPUTS = r"example_inputs\(\) of .*net.py ", r"has no example_inputs\(\); add `def example_inputs"
UNFIT = {
    "fails": ("f", "x = 1\ny = x / 0\n", r"does not run: ZeroDivisionError: division by zero \(net.py:2\)"),
    "leaves": ("f", "import sys\nsys.exit(5)\n", r"does not run: SystemExit: 5 \(net.py:2\)"),
    "no inputs": ("f", F, NO_INPUTS),
    "no function": ("f", F + "example_inputs = (1, 2)\n", NO_INPUTS),
    "a failure": ("f", MAKES + "raise ValueError('no data')", INPUTS + r"fails: ValueError: no data \(net.py:5\)"),
    "an array": ("f", MAKES + "return np.ones(3)", INPUTS + "returns an array at position 0; use Tensor"),
    "none": ("f", MAKES + "return ()", r"returns 0 arguments for 'f': missing a required argument: 'x'"),
    "example_inputs is not suggested": ("zz", MAKES + "return ()", "no function 'zz' in .*; known: f$"),
}


@pytest.mark.parametrize(("name", "text", "message"), UNFIT.values(), ids=UNFIT)
def test_unfit_files_are_errors_of_one_line(write_file, name, text, message):
    with pytest.raises(UsageError, match=message):
        load_target(f"{write_file('net.py', text)}:{name}")


def test_a_single_input_need_not_be_a_tuple(write_file):
    file = write_file("net.py", MAKES.replace("numpy as np", "minigraph as ms") + "return ms.Tensor(1.0)\n")
    assert argument_types(load_target(f"{file}:f").inputs) == "f32[]"
