"""The statements of a program's function, by family: each reads and changes tensors, numbers and objects with state."""

import ast
import textwrap

from tests.capture.fuzz.objects import fill

DEEPEST = 3
LINES = 7  # statements of a function, about


class Body:
    """The body of a function under construction: its objects, its helpers, and the values of its variables."""

    def __init__(self, rng, members, allowed, asks_tensors=0.7):
        self.rng, self.members, self.asks_tensors = rng, members, asks_tensors
        self.allowed = sorted({*allowed, "change", "read", "assign", "if tensor"})
        self.definitions, self.globals, self.families = [], [], set()
        self.tensors, self.numbers = ["x", "y"], ["n"]
        self.count = 0
        self.budget = LINES

    def write(self):
        """The lines of the body."""
        lines = self.block(0, self.rng.randint(3, LINES))
        return [*lines, *RESULTS[self.rng.choice(sorted(RESULTS)) if self.rng.random() < 0.5 else "tensor"](self)]

    def block(self, depth, size):
        """The lines of some statements; variables that they bind are known inside of the block only."""
        tensors, numbers, lines = [*self.tensors], [*self.numbers], []
        for _ in range(size):
            name = self.rng.choice(self.allowed)
            if name in ASKING and self.rng.random() > self.asks_tensors:
                name = "if python"
            family, write = STATEMENTS[name]
            if self.budget <= 0 and lines:
                break
            if depth >= DEEPEST and write in NESTED:
                family, write = STATEMENTS["change"]
            self.budget -= 1
            self.families.add(family)
            lines += "\n".join(write(self, depth)).splitlines()
        if depth:
            self.tensors, self.numbers = tensors, numbers
        return lines

    def nested(self, depth, size=0):
        """The indented lines of a block inside of a statement."""
        return indent(self.block(depth + 1, size or self.rng.randint(1, 2)))

    def name(self, kind):
        """A new name."""
        self.count += 1
        return f"{kind}{self.count}"

    def define(self, text):
        """Add a definition to the module, once."""
        text = textwrap.dedent(text).strip()
        if text not in self.definitions:
            self.definitions.append(text)

    def pick(self, *choices):
        """One of the choices."""
        return self.rng.choice(choices)

    def from_objects(self, field):
        """The filled templates of a field of all objects."""
        return [(m, template) for m in self.members for template in getattr(m.thing, field)]

    def tensor(self):
        """An expression whose value is a tensor of 3 numbers."""
        known = self.from_objects("tensors")
        if known and self.rng.random() < 0.3:
            member, template = self.rng.choice(known)
            return fill(template, o=member.inside, x=self.rng.choice(self.tensors), n="2.0")
        a, b = self.rng.choice(self.tensors), self.rng.choice(self.tensors)
        form = self.pick(
            "{a} + {b}",
            "{a} * 2",
            "ops.abs({a})",
            "ops.tanh({a})",
            "{a} - {b}.mean()",
            "{a} * {n}",
            "{a}",
            "ops.maximum({a}, {b})",
            "{a}[::-1]",
            "ops.where({a} > 0, {a}, {b})",
            "{a} + {n}",
        )
        return fill(form, a=a, b=b, n=self.number() if "{n}" in form else "")

    def number(self):
        """An expression whose value is a Python number."""
        known = self.from_objects("numbers")
        if known and self.rng.random() < 0.6:
            member, template = self.rng.choice(known)
            return fill(template, o=member.inside, x=self.rng.choice(self.tensors), n="2.0")
        return self.pick("1.5", "2", self.rng.choice(self.numbers))

    def tensor_condition(self):
        """A condition on a tensor."""
        a, b = self.rng.choice(self.tensors), self.rng.choice(self.tensors)
        form = self.pick(
            "{a}.sum() > 2",
            "{a}.max() > {b}.max()",
            "({a} > 0).any()",
            "{a}[0] < {b}[0]",
            "{a}.mean() > {n}",
            "{a}.sum() > 0 and {b}.sum() < 9",
            "not {a}.min() < 0",
            "flag or {a}[1] > 0",
            "{a}[0]",
        )
        return fill(form, a=a, b=b, n=self.number() if "{n}" in form else "")

    def python_condition(self):
        """A condition on Python values only."""
        known = self.from_objects("conditions")
        if known and self.rng.random() < 0.6:
            member, template = self.rng.choice(known)
            return fill(template, o=member.inside, x="x", n="2.0")
        return self.pick("flag", "n > 1", "n in (0, 2)", f"{self.number()} > 2")

    def condition(self):
        """A condition of either kind."""
        return self.tensor_condition() if self.rng.random() < self.asks_tensors else self.python_condition()

    def change(self, as_expression=False):
        """A statement that changes an object; a read where nothing can be changed."""
        known = [(m, t) for m, t in self.from_objects("changes") if not as_expression or _is_expression(t)]
        if not known:
            return "None" if as_expression else f"_ = {self.number()}"
        member, template = self.rng.choice(known)
        return fill(template, o=member.inside, x=self.rng.choice(self.tensors), n=self.pick("1.0", "2", "5"))


def _is_expression(template):
    try:
        ast.parse(fill(template, o="o", x="x", n="1"), mode="eval")
    except SyntaxError:
        return False
    return True


def indent(lines):
    """The lines of a block."""
    return [f"    {line}" for line in lines]


# ---- plain statements --------------------------------------------------------------------------------------


def _assign(body, depth):
    target = body.pick("x", "y", body.name("t"))
    line = f"{target} = {body.tensor()}"
    if target not in body.tensors:
        body.tensors.append(target)
    return [line]


def _change(body, depth):
    return [body.change()]


def _read(body, depth):
    name, form = body.name("k"), body.pick("x = x + {n}", "x = x * {n}", "{name} = {n}", "y = {t} + {n}")
    line = fill(form, n=body.number(), name=name, t=body.rng.choice(body.tensors))
    body.numbers += [name] * line.startswith(name)
    return [line]


def _print(body, depth):
    form = body.pick(
        'print("static", {n})',
        'print(f"x is {x}")',
        "print({x}, {x}.shape)",
        'print({n}, end=" ")',
        "print(type({x}).__name__)",
        'sys.stdout.write("out\\n")',
        'print("a", {x}.sum(), sep="-")',
    )
    return [form.replace("{n}", body.number()).replace("{x}", body.rng.choice(body.tensors))]


def _level(body, depth):
    body.define("level = 1.0")
    return [body.pick("x = x * level", 'x = x + globals()["level"]')]


def _global(body, depth):
    body.define("level = 1.0")
    if "global level" not in body.globals:
        body.globals.append("global level")
    return [body.pick("level += 1", "level = level * 2", "level = x.shape[0]")]


# ---- control flow ------------------------------------------------------------------------------------------


def _if_tensor(body, depth):
    return _if(body, depth, body.tensor_condition())


def _if_python(body, depth):
    return _if(body, depth, body.python_condition())


def _if(body, depth, condition):
    lines = [f"if {condition}:", *body.nested(depth)]
    if body.rng.random() < 0.2:
        lines += [f"elif {body.condition()}:", *body.nested(depth, 1)]
    return [*lines, *(["else:", *body.nested(depth)] if body.rng.random() < 0.5 else [])]


def _while_tensor(body, depth):
    i, limit = body.name("i"), body.pick("3", "ops.minimum(x.max(), Tensor(3.0))", "2 + n")
    return [f"{i} = Tensor(0)", f"while {i} < {limit}:", *body.nested(depth), f"    {i} = {i} + 1", *_loop_else(body)]


def _while_python(body, depth):
    i = body.name("i")
    return [f"{i} = 0", f"while {i} < {body.pick('3', 'n')}:", f"    {i} += 1", *body.nested(depth)]


def _loop_else(body):
    return ["else:", f"    {body.change()}"] if body.rng.random() < 0.1 else []


def _for(body, depth):
    name = body.name("v")
    over = body.pick("range(3)", "range(n)", "(1, 2.5)", "range(x.shape[0])", "[n, 1]")
    body.numbers.append(name)
    lines = [f"for {name} in {over}:", *body.nested(depth), *_loop_else(body)]
    body.numbers.remove(name)
    return lines


def _for_object(body, depth):
    known = body.from_objects("items")
    if not known:
        return _for(body, depth)
    member, template = body.rng.choice(known)
    name = body.name("v")
    lines = body.nested(depth, 1) if body.rng.random() < 0.5 else ["    y = y + 1"]
    return [f"for {name} in {fill(template, o=member.inside)}:", *lines]


def _for_rows(body, depth):
    row = body.name("row")
    use = body.pick(f"y = y + {row}", f"x = x * {row}", f"if {row} > 1:\n    y = y + {row}")
    over = body.pick("x", "y", "x[1:]")
    return [f"for {row} in {over}:", *indent(use.splitlines()), *body.nested(depth, 1)]


def _for_tensor_range(body, depth):
    name = body.name("v")
    bound = body.pick("ops.minimum(x.max(), Tensor(3.0)).astype(ms.int32)", "Tensor(2)", "(x > 0).sum()")
    return [f"for {name} in range({bound}):", *body.nested(depth)]


def _early_return(body, depth):
    result = body.pick("x", "y * 2", "x + {n}", "x, {n}", "x[:2]", "None", '"early"', "{{'x': x}}", "{n}")
    body.families |= {"8 shapes"} if "x[:2]" in result else set()
    return [f"if {body.condition()}:", *body.nested(depth, 1), f"    return {fill(result, n=body.number())}"]


def _break(body, depth):
    i = body.name("v")
    jump = body.pick("break", "continue")
    inside = [f"if {body.condition()}:", *body.nested(depth, 1), f"    {jump}", body.change()]
    return [f"for {i} in range(3):", *indent(inside)]


def _while_true(body, depth):
    i = body.name("i")
    inside = [body.change(), f"{i} += 1", f"if {i} > 2 or {body.tensor_condition()}:", "    break"]
    return [f"{i} = 0", "while True:", *indent(inside)]


# ---- functions ---------------------------------------------------------------------------------------------


def _helper(body, depth):
    member = body.rng.choice(body.members)
    changes = member.thing.changes
    change = fill(body.rng.choice(changes), o="o", x="v", n="2") if changes else "pass"
    name = f"bump{len(body.definitions)}"
    branch = body.pick(f"    {change}", f"    if v.sum() > 1:\n        {change}", f"    {change}\n    v = v + 1")
    body.define(f"def {name}(o, v):\n{branch}\n    return v")
    target = body.pick("x = ", "y = ", "")
    return [f"{target}{name}({member.inside}, {body.rng.choice(body.tensors)})"]


def _inner_function(body, depth):
    name, k = body.name("inner"), body.name("k")
    return [
        f"{k} = 1",
        f"def {name}(v):",
        f"    nonlocal {k}",
        f"    {k} += 1",
        f"    {body.change()}",
        f"    return v * {k}",
        f"if {body.condition()}:",
        f"    x = {name}(x)",
        f"y = y + {k}",
    ]


def _comprehension(body, depth):
    expression = body.change(as_expression=True)
    form = body.pick(
        "_ = [{e} for _ in range(2)]",
        "x = x + sum([{n} for _ in range(2)])",
        "y = sum((v * 2 for v in [x, y]), x)",
        "_ = [{e} for v in (1, 2) if v > n]",
        "x = x + sum({n} for _ in range(2))",
        "_ = {v: {n} for v in (1, 2)}",
    )
    return [form.replace("{e}", expression).replace("{n}", body.number())]


def _lambda(body, depth):
    form = body.pick(
        "_ = (lambda: {e})()",
        "x = (lambda v: v + {n})(x)",
        "_ = list(map(lambda v: {n}, (1, 2)))",
        "_ = sorted([2, 1], key=lambda v: -v)",
        "x = list(map(lambda v: v * 2, [x]))[0]",
    )
    return [form.replace("{e}", body.change(as_expression=True)).replace("{n}", body.number())]


def _ternary(body, depth):
    form = body.pick(
        "x = x if {c} else y",
        "_ = {e} if {c} else None",
        "x = x * ({n} if {c} else 2)",
        "_ = {c} and {e}",
        "x = x + 1 if {c} else x",
    )
    words = {"{c}": body.condition(), "{e}": body.change(as_expression=True), "{n}": body.number()}
    for mark, word in words.items():
        form = form.replace(mark, f"({word})")
    return [form]


def _recursion(body, depth):
    body.define("def deeper(v, n, log):\n    log.append(n)\n    return v if n <= 0 else deeper(v + n, n - 1, log)")
    log = body.name("log")
    return [f"{log} = []", f"x = deeper(x, n, {log})", f"y = y + len({log})"]


def _generator(body, depth):
    body.define("def yielding(v, n):\n    for k in range(n):\n        yield v + k")
    return [
        body.pick("for v in yielding(x, 2):\n    y = y + v", "x = sum(yielding(x, 2))", "x, *_ = yielding(x, n + 1)")
    ]


# ---- exceptions and blocks ---------------------------------------------------------------------------------


def _try(body, depth):
    guard = body.pick(
        f"if {body.condition()}:\n    raise ValueError('no')",
        "_ = [1, 2][n]",
        '{"a": 1}["b"]',
        f"_ = 1 / n\n{body.change()}",
    )
    caught = body.pick("except ValueError:", "except Exception as error:", "except (LookupError, ArithmeticError):")
    lines = ["try:", *indent(guard.splitlines()), *body.nested(depth, 1), caught, f"    {body.change()}"]
    return lines + ["finally:", f"    {body.change()}"] * (body.rng.random() < 0.4)


def _raise(body, depth):
    return [
        f"if {body.condition()}:",
        f"    {body.change()}",
        f"    raise {body.pick('ValueError', 'KeyError')}('stop')",
    ]


def _assert(body, depth):
    return [body.pick(f"assert {body.condition()}, 'failed'", "assert n < 9", "assert x.shape == (3,)")]


def _with(body, depth):
    body.define("""
        entered = []

        class Manager:
            def __enter__(self):
                entered.append(1)
                return self

            def __exit__(self, *caught):
                entered.append(2)
    """)
    body.define("""
        @contextlib.contextmanager
        def noting(log):
            log.append("in")
            yield len(log)
            log.append("out")
    """)
    body.define("lock = threading.Lock()")
    manager = body.pick(
        "lock",
        "Manager() as m",
        "noting(entered) as m",
        "contextlib.suppress(ValueError)",
        "contextlib.nullcontext(2) as m",
    )
    managers = body.from_objects("managers")
    if managers and body.rng.random() < 0.5:
        manager = body.rng.choice(managers)[0].inside
    return [f"with {manager}:", *body.nested(depth)]


def _match(body, depth):
    return [
        f"match {body.pick('n', 'flag', '(n, flag)')}:",
        "    case 0 | True:",
        *indent(body.nested(depth, 1)),
        "    case _:",
        *indent(body.nested(depth, 1)),
    ]


def _syntax(body, depth):
    a = body.name("s")
    body.define("def twice(fn):\n    return lambda v: fn(fn(v))")
    return body.pick(
        [
            f"@{body.pick('twice', 'ms.grad')}",
            f"def {a}(v):",
            "    return (v * v).sum()",
            f"x = x + {a}(x)",
        ],
        [f"def {a}(v: int) -> float:", "    return v", f"x = x + len({a}.__annotations__)"],
        [f"{a} = [1, 2, 3]", f"x = x * len(f'{{{a}}} {{{a}.pop()}} {{{a}}}')"],
        [f"{a} = x", f"del {a}"],
        [f"if ({a} := {body.number()}) > 1:", f"    x = x + {a}"],
        ["import math", "x = x * math.pi"],
        [f"{a}, *_ = [x, y, 1]", f"x = {a}"],
        [f"{a} = {{'k': x}}", f"{a}['k'] = {a}['k'] + 1", f"x = {a}.pop('k')"],
        [f"{a} = [x, y]", f"if {body.tensor_condition()}:", f"    {a}.append(x)", f"x = x + len({a})"],
        [f"{a} = {{}}", f"if {body.tensor_condition()}:", f"    {a}['k'] = 1", f"x = x + len({a})"],
        [f"{a} = 0", f"if {body.tensor_condition()}:", f"    {a} += 1", f"x = x * {a}"],
        [f"{a} = None", f"if {body.tensor_condition()}:", f"    {a} = x", f"x = x if {a} is None else {a} + 1"],
        [f"{a} = 'low'", f"if {body.tensor_condition()}:", f"    {a} = 'high'", f"x = x * len({a})"],
        [f"{a} = types.SimpleNamespace(k=1.0)", f"if {body.tensor_condition()}:", f"    {a}.k = 2.0", f"x = x * {a}.k"],
    )


# ---- tensors -----------------------------------------------------------------------------------------------


def _in_place(body, depth):
    v = body.name("view")
    return body.pick(
        [f"x[0] = {body.number()}"],
        [f"{v} = x[1:]", f"{v}[0] = 5.0"],
        [f"{v} = x.copy()", f"{v}[0] = {body.number()}", f"y = y + {v}"],
        ["y += 1"],
        [f"if {body.tensor_condition()}:", "    x[1] = 7.0"],
        [f"{v} = x.asnumpy()", f"y = y + Tensor({v} * 2)"],
        [f"{v} = np.zeros(3, np.float32)", f"if {body.condition()}:", f"    {v}[0] = 1.0", f"x = x + Tensor({v})"],
        [f"{v} = np.arange(4.0, dtype=np.float32)", f"{v}[1:][0] = {body.number()}", f"x = x + Tensor({v}[1:])"],
        [f"{v} = x.view(-1) if flag else x.reshape((3,))", f"{v}[2] = 3.0"],
    )


def _parameter(body, depth):
    body.define('weight = Parameter(Tensor([1.0, 2.0, 3.0]), name="weight")')
    return body.pick(
        ["ops.assign(weight, x)"],
        ["x = x * weight"],
        ["weight += 1"],
        ["ops.assign_add(weight, y)", "x = x + weight"],
        [f"if {body.tensor_condition()}:", "    ops.assign(weight, weight * 2)"],
    )


def _identity(body, depth):
    condition = body.pick(
        "isinstance(x, Parameter)",
        "x is y",
        "type(x) is Tensor",
        'type(x).__name__ == "Parameter"',
        "x.__class__ in (Tensor,)",
        "isinstance(y, Tensor) and not isinstance(y, Parameter)",
        'hasattr(x, "name")',
        "id(x) == id(y)",
        "any(x is v for v in [y])",
        "type(x) == type(y)",
    )
    return [f"if {condition}:", *body.nested(depth, 1), "else:", "    x = x + 10"]


ALIKE = """
class Alike:
    def __init__(self, k):
        self.k = k

    def __eq__(self, other):
        return isinstance(other, Alike)

alike = [Alike(1.5), Alike(2.5), (True, 0.0), (1, -0.0)]
attribute = "k"
"""


def _equal_objects(body, depth):
    body.define(ALIKE)
    one, other, chosen = *body.pick((0, 1), (1, 0), (2, 3)), body.name("chosen")
    use = [f"x = x * {chosen}.k"] if one < 2 else [f"y = y + len(str({chosen}))"]
    return body.pick(
        [f"{chosen} = alike[{one}]", f"if {body.condition()}:", f"    {chosen} = alike[{other}]", *use],
        [f"if {body.condition()}:", f"    {chosen} = alike[{one}]", "else:", f"    {chosen} = alike[{other}]", *use],
        [f"{chosen} = alike[{one}]", "while x.sum() < 9:", f"    x, {chosen} = x * x + 1, alike[{other}]", *use],
        [f"for v in range(2):\n    {chosen} = alike[{one}] if x.sum() > v else alike[{other}]", *use],
        [f"x = x * getattr(alike[{body.pick(0, 1)}], attribute)", "alike[0].k += 1"],
        [f"y = y + (alike[{one}] is alike[{other}]) + (alike[{one}] == alike[{other}])"],
    )


def _conversion(body, depth):
    k = body.name("k")
    form = body.pick(
        "int(x.sum())",
        "float(x.max())",
        "bool(x[0] > 0)",
        "x.max().item()",
        "sum(x.tolist())",
        "float(x.asnumpy()[0])",
        "max(x[0], x[1])",
        "len([v for v in x if v > 0])",
        "min(x)",
        "any([v > 1 for v in x])",
        "all(v > -5 for v in x)",
        "int(x.argmax())",
        "round(float(x[0]), 1)",
    )
    body.numbers.append(k)
    return [f"{k} = {form}", body.pick(f"y = y + {k}", f"if {k} > 1:\n    y = y * 2")]


def _gradient(body, depth):
    body.define("def loss_of(v):\n    if v.sum() > 2:\n        v = v * v\n    return v.sum()")
    body.define("def loop_of(v):\n    while v.sum() < 9:\n        v = v * v + 1\n    return v.sum()")
    loss = body.pick("loss_of", "loop_of", "lambda v: (v * v).sum()")
    at = body.pick("x", "(x > 0).astype(ms.int32) + 1")
    return [body.pick(f"y = y + ms.grad({loss})({at})", f"x = x + ms.value_and_grad({loss})({at})[1]")]


STATEMENTS = {
    "gradient": ("6 gradients", _gradient),
    "assign": ("0 plain", _assign),
    "change": ("1 state", _change),
    "read": ("1 state", _read),
    "print": ("5 effects", _print),
    "level": ("1 state", _level),
    "global": ("5 effects", _global),
    "if tensor": ("1 state", _if_tensor),
    "if python": ("0 plain", _if_python),
    "while tensor": ("1 state", _while_tensor),
    "while": ("0 plain", _while_python),
    "for": ("0 plain", _for),
    "for object": ("4 special methods", _for_object),
    "for rows": ("1 state", _for_rows),
    "for tensor range": ("1 state", _for_tensor_range),
    "early return": ("9 refused", _early_return),
    "break": ("1 state", _break),
    "while true": ("1 state", _while_true),
    "helper": ("1 state", _helper),
    "inner function": ("1 state", _inner_function),
    "comprehension": ("5 effects", _comprehension),
    "lambda": ("5 effects", _lambda),
    "ternary": ("1 state", _ternary),
    "recursion": ("0 plain", _recursion),
    "generator": ("7 results", _generator),
    "try": ("9 refused", _try),
    "raise": ("9 refused", _raise),
    "assert": ("9 refused", _assert),
    "with": ("4 special methods", _with),
    "match": ("9 refused", _match),
    "syntax": ("9 refused", _syntax),
    "in place": ("1 state", _in_place),
    "parameter": ("1 state", _parameter),
    "identity": ("3 identity", _identity),
    "equal objects": ("3 identity", _equal_objects),
    "conversion": ("9 refused", _conversion),
}
ASKING = {"if tensor", "while tensor", "for tensor range", "while true", "conversion"}
NESTED = {
    _if_tensor,
    _if_python,
    _while_tensor,
    _while_python,
    _for,
    _for_object,
    _for_rows,
    _for_tensor_range,
    _early_return,
    _break,
    _try,
    _with,
    _match,
    _identity,
    _while_true,
    _inner_function,
}


# ---- results -----------------------------------------------------------------------------------------------


def _return_forms(*forms):
    def write(body):
        body.families.add("7 results")
        words = {"t": body.tensor(), "n": body.number()}
        return [f"return {fill(body.rng.choice(forms), **words)}"]

    return write


RESULTS = {
    "tensor": _return_forms("{t}", "x", "x + y", "{t} + {n}"),
    "container": _return_forms(
        "x, {n}", "[x, y]", "{{'x': x, 'n': {n}}}", "(x, [y, {{'k': {t}}}])", "[{n}] * 2", "x, x"
    ),
    "view": _return_forms(
        "{{'x': x}}.values()",
        "{{'x': x}}.items()",
        "zip([x], [y])",
        "map(ops.abs, [x, y])",
        "(v + 1 for v in [x, y])",
        "enumerate([x])",
        "iter([x, 1])",
        "{{'k': y}}.keys()",
    ),
    "number": _return_forms(
        "{n}", "x.shape[0]", "len(x)", "x.ndim", "x.shape", "str({n})", "None", "x.dtype", "x.size", "type(x).__name__"
    ),
    "0-d": _return_forms("x.sum()", "x[0]", "x.max() + {n}", "x.sum() > 0", "x.argmax()"),
    "reached": _return_forms("y", "x[1:]", "x.reshape((3, 1))", "x.T"),
}
