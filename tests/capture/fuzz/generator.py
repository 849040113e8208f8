"""Writes random programs: objects with state, ways to reach them, and statements that read and change them.

Each program draws a few kinds of statements and uses no others, so that a kind which capture refuses does not hide
the rest.
"""

import random
import textwrap

from tests.capture.fuzz.objects import THINGS, fill
from tests.capture.fuzz.paths import CELL_ONLY, PATHS
from tests.capture.fuzz.program import CAPTURE_MODES, CONTEXT_MODES, FORMS, Program, Setting, remove_unused_definitions
from tests.capture.fuzz.statements import STATEMENTS, Body

CALLS, CALL_WEIGHTS = (2, 3, 4, 8), (8, 6, 4, 1)  # seldom so many that values which change run op by op
GRADIENTS = 0.3  # the share of programs that are differentiated
ASKS_TENSORS = {"ast": 0.8, "trace": 0.06}  # the share of conditions; a function that runs as written refuses them
ARGUMENTS = ("[1.0, 2.0, 3.0]", "[-1.0, 0.5, 0.0]", "[4.0, -2.0, 0.25]", "[0.0, 0.0, 0.0]", "[9.0, 1.0, -3.0]")


class Member:
    """An object in a program: its definition, and the expressions by which the program reaches it."""

    def __init__(self, instance, path, number):
        self.thing, self.path = instance, path
        create = fill(instance.create, k=str(number))
        self.setup, self.inside, self.outside, self.parameter, self.argument, self.in_cell, self.local = (
            text.replace("{k}", str(number)).replace("{c}", create) for text in path[1:]
        )


def generate_program(seed):
    """The program of a seed, a string: the same one every time."""
    rng = random.Random(seed)
    gradient = "yes" if random.Random(f"gradient of {seed}").random() < GRADIENTS else "no"  # not a part of the text
    setting = Setting(rng.choices(CAPTURE_MODES, (2, 1))[0], rng.choice(CONTEXT_MODES), rng.choice(FORMS), gradient)
    members = [_member(rng, number, setting.form) for number in range(rng.choice((1, 1, 2, 2, 3)))]
    body = Body(rng, members, rng.sample(sorted(STATEMENTS), rng.choice((3, 5, 8))), ASKS_TENSORS[setting.capture_mode])
    lines = body.write()
    text = _module(rng, members, body, lines, setting)
    families = {member.thing.family for member in members} | {m.path.family for m in members} | body.families
    return Program(remove_unused_definitions(text), setting, tuple(sorted(families)))


def _member(rng, number, form):
    paths = [name for name in PATHS if form == "cell" or name not in CELL_ONLY]
    weights = [8 if name in ("global", "local", "argument", "attribute of the Cell") else 2 for name in paths]
    path = rng.choices(paths, weights)[0]
    return Member(THINGS[rng.choice(sorted(THINGS))], PATHS[path], number)


def _module(rng, members, body, lines, setting):
    definitions = list(dict.fromkeys(member.thing.definitions for member in members))
    setups = [member.setup for member in members if member.setup]
    order = sorted((m.parameter for m in members if m.parameter), key=lambda name: "=" in name)
    is_cell = setting.form == "cell"
    parameters = ", ".join(["self"] * is_cell + ["x", "y", "n", "flag", *order])
    name = "construct" if is_cell else "step"
    locals_ = [member.local for member in members if member.local]
    function = f"def {name}({parameters}):\n" + textwrap.indent("\n".join([*body.globals, *locals_, *lines]), "    ")
    if is_cell:
        start = ["super().__init__()", *(member.in_cell for member in members if member.in_cell)]
        init = "def __init__(self):\n" + textwrap.indent("\n".join(start), "    ")
        function = "class Net(nn.Cell):\n" + textwrap.indent(f"{init}\n\n{function}", "    ") + "\nnet = Net()"
    calls = "def calls(call):\n" + textwrap.indent("\n".join(_calls(rng, members, body)), "    ")
    return "\n".join([*definitions, *setups, *body.definitions, function, calls])


def _calls(rng, members, body):
    """Lines that call the function, and change state between its calls."""
    lines = ["global level"] if "level = 1.0" in body.definitions else []
    kept = rng.random() < 0.3
    if kept:  # the same arguments at every call
        lines.append(f"x, y = Tensor({rng.choice(ARGUMENTS)}), Tensor({rng.choice(ARGUMENTS)})")
    for number in range(rng.choices(CALLS, CALL_WEIGHTS)[0]):
        if number and rng.random() < 0.6:
            lines += _change(rng, members, body)
        first = "x" if kept else _tensor(rng)
        second = first if kept and rng.random() < 0.3 else "y" if kept else _tensor(rng)
        others = [member.argument for member in members if member.argument]
        lines.append(
            f"call({', '.join([first, second, str(rng.choice((0, 1, 2, 3))), str(rng.random() < 0.5), *others])})"
        )
    return lines


def _tensor(rng):
    numbers = rng.choice(ARGUMENTS)
    return f'Parameter(Tensor({numbers}), name="p")' if rng.random() < 0.15 else f"Tensor({numbers})"


def _change(rng, members, body):
    """A change between two calls."""
    changing = [
        member for member in members if member.outside and member.thing.changes and "make" not in member.outside
    ]
    if "level = 1.0" in body.definitions and (not changing or rng.random() < 0.3):
        return [f"level = {rng.choice((1.5, 2.0, 3))}"]
    if not changing:
        return []
    member = rng.choice(changing)
    change = rng.choice(member.thing.changes)
    return [fill(change, o=member.outside, x=f"Tensor({rng.choice(ARGUMENTS)})", n=str(rng.choice((1.0, 2, 5))))]
