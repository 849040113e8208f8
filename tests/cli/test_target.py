import pytest

from minigraph.cli.target import shapes, target_named
from minigraph.errors import UsageError
from minigraph.jit import Jitted
from minigraph.tensor import Tensor


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


def test_a_file_that_does_not_run_names_its_line(tmp_path):
    file = tmp_path / "broken.py"
    file.write_text("x = 1\ny = x / 0\n")
    with pytest.raises(UsageError, match=r"does not run: ZeroDivisionError: division by zero \(broken.py:2\)"):
        target_named(f"{file}:f")
    file.write_text("import sys\nsys.exit(5)\n")
    with pytest.raises(UsageError, match=r"does not run: SystemExit: 5 \(broken.py:2\)"):
        target_named(f"{file}:f")


@pytest.mark.parametrize("inputs", ["", "example_inputs = (1, 2)\n"])
def test_a_file_without_inputs_says_what_to_add(inputs, tmp_path):
    file = tmp_path / "net.py"
    file.write_text("def f(x):\n    return x\n" + inputs)
    with pytest.raises(UsageError, match=r"has no example_inputs\(\); add `def example_inputs"):
        target_named(f"{file}:f")


def test_a_single_input_need_not_be_a_tuple(tmp_path):
    file = tmp_path / "net.py"
    file.write_text(
        "import minigraph as ms\ndef f(x):\n    return x\ndef example_inputs():\n    return ms.Tensor(1.0)\n"
    )
    assert shapes(target_named(f"{file}:f").inputs) == "f32[]"


@pytest.mark.parametrize("body, told", [
    ("raise ValueError('no data')", r"example_inputs\(\) of .*net.py fails: ValueError: no data \(net.py:5\)"),
    ("return np.ones(3)", r"example_inputs\(\) of .*net.py gives an array at 0; use Tensor"),
    ("return ()", r"gives 'f' 0 arguments: missing a required argument: 'x'"),
])  # fmt: skip
def test_unfit_inputs_are_refused_in_one_line(tmp_path, body, told):
    file = tmp_path / "net.py"
    file.write_text(f"import numpy as np\ndef f(x):\n    return x\ndef example_inputs():\n    {body}\n")
    with pytest.raises(UsageError, match=told):
        target_named(f"{file}:f")


def test_the_maker_of_inputs_is_not_offered(tmp_path):
    file = tmp_path / "net.py"
    file.write_text("def f(x):\n    return x\ndef example_inputs():\n    return ()\n")
    with pytest.raises(UsageError, match="no function 'zz' in .*; known: f$"):
        target_named(f"{file}:zz")


def test_the_examples_have_names():
    assert target_named("digits").is_digits
    step = target_named("vit")
    assert (step.name, step.module.__name__, len(step.inputs)) == ("train_step", "minigraph.examples.vit", 2)
    assert not step.is_digits
