"""Objects with state, by family: how they are made, read and changed, in the function and between its calls.

``{o}`` stands for the object, ``{x}`` for a tensor of 3 numbers, ``{n}`` for a Python number.
"""

from typing import NamedTuple


class Thing(NamedTuple):
    """A kind of object: expressions that read numbers from it, statements that change it, and its definitions."""

    family: str
    create: str
    numbers: tuple[str, ...]
    changes: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    tensors: tuple[str, ...] = ()
    items: tuple[str, ...] = ()  # iterables of ``for``
    definitions: str = ""
    managers: tuple[str, ...] = ()  # context managers of ``with``


BOX = """
class Box:
    level = 2

    def __init__(self, k=1.0):
        self.k = k
        self.seen = []

    def bump(self, n):
        self.k += n
        return self.k

    @property
    def twice(self):
        return self.k * 2

    @classmethod
    def raise_level(cls):
        cls.level += 1
"""
SPECIAL = """
class Bag:
    def __init__(self, *items):
        self.items = list(items)
        self.entered = 0

    def __iter__(self):
        return iter(self.items)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, key):
        return self.items[key]

    def __setitem__(self, key, value):
        self.items[key] = value

    def __contains__(self, item):
        return item in self.items

    def __bool__(self):
        return len(self.items) > 2

    def __call__(self, value):
        return value * self.items[0]

    def __lt__(self, other):
        return self.items[0] < other

    def __eq__(self, other):
        return self.items[-1] == other

    def __add__(self, other):
        return self.items[0] + other

    def __rmul__(self, other):
        return other * self.items[0]

    def __neg__(self):
        return -self.items[0]

    def __float__(self):
        return float(self.items[0])

    def __str__(self):
        return f"bag of {self.items}"

    def __getattr__(self, name):
        if name.startswith("extra"):
            return vars(self).get("items", [0])[-1]
        raise AttributeError(name)

    def __enter__(self):
        self.entered += 1
        return self

    def __exit__(self, *caught):
        self.items.append(self.entered)
"""
DESCRIPTOR = """
class Counted:
    def __get__(self, owner, kind=None):
        owner.reads += 1
        return owner.hidden

    def __set__(self, owner, value):
        owner.hidden = value

class Metered:
    value = Counted()

    def __init__(self):
        self.reads, self.hidden = 0, 1.5
"""
TICKS = """
class Ticks:
    def __init__(self):
        self.n = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.n += 1
        return self.n

def ticking():
    n = 0
    while True:
        n += 1
        yield n
"""
COUNTER = """
def make_counter(start=0):
    n = start

    def tick(step=1):
        nonlocal n
        n += step
        return n
    return tick

def counted(function):
    @functools.wraps(function)
    def inner(*args):
        inner.count += 1
        return function(*args)
    inner.count = 0
    return inner
"""
CONTAINERS = """
class Named(dict):
    def __missing__(self, key):
        self[key] = 4
        return 4

class Stack(list):
    top = 0

    def push(self, value):
        self.append(value)
        self.top += 1

class Slots:
    __slots__ = ("k", "history")

    def __init__(self):
        self.k, self.history = 2.0, []

@dataclasses.dataclass
class Record:
    k: float = 2.0
    history: list = dataclasses.field(default_factory=list)

Point = collections.namedtuple("Point", "left right")
"""
LOGGER = """
class Kept(logging.Handler):
    def __init__(self):
        super().__init__()
        self.kept = []

    def emit(self, record):
        self.kept.append(record.getMessage())

def make_logger():
    logger = logging.Logger("fuzz")
    logger.addHandler(Kept())
    return logger
"""
STATE, RANDOM, SPECIALS, EFFECTS = "1 state", "2 random", "4 special methods", "5 effects"

THINGS = {
    "dict": Thing(
        STATE,
        '{"up": 0, "down": 2.5}',
        ('{o}["up"]', '{o}.get("down", 0)', "len({o})", "sum(v for v in {o}.values() if isinstance(v, (int, float)))"),
        (
            '{o}["up"] += 3',
            '{o}["new"] = {n}',
            '{o}.pop("new", None)',
            "{o}.update(up={n})",
            '{o}.setdefault("z", 1)',
            '{o}["last"] = {x}',
            '{o}["up"] = {o}["up"] * 2 + 1',
            "same = {o}; same |= {'more': 1}",
        ),
        ('"new" in {o}', '{o}["up"] > 2'),
        items=("list({o})",),
    ),
    "list": Thing(
        STATE,
        "[3.0, 1.0]",
        ("len({o})", "{o}[0]", "sum(v for v in {o} if isinstance(v, (int, float)))", "{o}[-1]", "{o}.count(1.0)"),
        (
            "{o}.append({n})",
            "{o}[0] = {n}",
            "{o}.insert(1, {n})",
            "{o}.extend([1, 2])",
            "{o}.reverse()",
            "same = {o}; same += [{n}]",
            "{o}[1:] = [{n}]",
            "{o}.append(2.0) if len({o}) < 4 else {o}.pop(0)",
            "del {o}[1:]",
        ),
        ("len({o}) > 2", "1.0 in {o}", "{o} == [3.0, 1.0]"),
        items=("{o}[:4]", "enumerate({o}[:2])"),
    ),
    "list of tensors": Thing(
        STATE,
        "[Tensor([1.0, 0.0, 2.0])]",
        ("len({o})",),
        ("{o}.append({x})", "{o}[0] = {x}", "{o}[:] = [{x}]", "{o}[-1] = {o}[-1] + 1"),
        ("len({o}) > 2",),
        ("{o}[0]", "{o}[-1]", "sum({o})"),
        items=("{o}[:3]",),
    ),
    "set": Thing(
        STATE,
        "{{1, 2}}",
        ("len({o})", "max({o})", "sum({o})"),
        ("{o}.add(5)", "{o}.discard(1)", "{o}.update((7, 8))", "{o}.add(len({o}) + 3)"),
        ("5 in {o}", "len({o}) > 2"),
        items=("sorted({o})",),
    ),
    "deque": Thing(
        STATE,
        "collections.deque([1.0, 2.0], maxlen=4)",
        ("len({o})", "{o}[0]", "{o}[-1]"),
        ("{o}.append({n})", "{o}.appendleft({n})", "{o}.rotate()"),
        items=("list({o})",),
    ),
    "defaultdict": Thing(
        STATE,
        "collections.defaultdict(int)",
        ('{o}["a"]', "len({o})"),
        ('{o}["a"] += 2', '{o}["b"] = {n}'),
        ('"b" in {o}',),
    ),
    "Counter": Thing(
        STATE,
        'collections.Counter("abc")',
        ('{o}["a"]', "sum({o}.values())"),
        ('{o}["a"] += 1', '{o}.update("ab")'),
    ),
    "OrderedDict": Thing(
        STATE,
        "collections.OrderedDict(a=1, b=2)",
        ("next(iter({o}.values()))", "len({o})"),
        ('{o}.move_to_end("a")', '{o}["c"] = {n}'),
    ),
    "ChainMap": Thing(
        SPECIALS,
        'collections.ChainMap({{}}, {{"k": 2}})',
        ('{o}["k"]', "len({o})"),
        ('{o}["k"] = {n}', '{o}["j"] = 1'),
    ),
    "missing keys": Thing(
        SPECIALS,
        "Named()",
        ('{o}["q"]', "len({o})"),
        ('{o}["q"] = {n}', '{o}["r"] = 1'),
        definitions=CONTAINERS,
    ),
    "list subclass": Thing(
        SPECIALS,
        "Stack([1, 2])",
        ("{o}.top", "{o}[-1]", "len({o})"),
        ("{o}.push({n})", "{o}.top = {n}"),
        definitions=CONTAINERS,
        items=("{o}[:3]",),
    ),
    "slots": Thing(
        STATE,
        "Slots()",
        ("{o}.k", "len({o}.history)"),
        ("{o}.k += 1", "{o}.history.append({n})", "{o}.k = {n}"),
        definitions=CONTAINERS,
    ),
    "dataclass": Thing(
        STATE,
        "Record()",
        ("{o}.k", "len({o}.history)"),
        ("{o}.k = {n}", "{o}.history.append({x})", "{o}.k *= 2"),
        ("{o} == Record()",),
        definitions=CONTAINERS,
    ),
    "namedtuple in a list": Thing(
        STATE,
        "[Point(1.0, 2.0)]",
        ("{o}[0].left", "{o}[-1].right"),
        ("{o}[0] = {o}[0]._replace(left={n})", "{o}.append(Point({n}, 1))"),
        definitions=CONTAINERS,
    ),
    "object": Thing(
        STATE,
        "Box()",
        ("{o}.k", "{o}.twice", "{o}.level", "len({o}.seen)"),
        (
            "{o}.k += 1.5",
            "{o}.k = {n}",
            "{o}.bump({n})",
            "{o}.seen.append({n})",
            "{o}.raise_level()",
            "Box.level = {n}",
            'setattr({o}, "k", {n})',
            '{o}.__dict__["k"] = {n}',
            "{o}.last = {x}",
            "Box.twice = property(lambda self: self.k * {n})",
            "Box.__bool__ = lambda self: self.k > {n}",
            "Box.bump = lambda self, by: setattr(self, 'k', by * 3)",
            '{o}.__class__ = type("Other", (Box,), {{"level": {n}}})',
            "type({o}).twice = property(lambda self: {n})",
        ),
        ("{o}.k > 2", 'hasattr({o}, "last")', "{o}", "type({o}) is Box"),
        definitions=BOX,
    ),
    "namespace": Thing(
        STATE,
        "types.SimpleNamespace(k=1.0, t=Tensor([1.0, 2.0, 0.0]))",
        ("{o}.k",),
        ("{o}.k -= 1", "{o}.t = {x}", "{o}.k, {o}.j = {n}, 2"),
        tensors=("{o}.t",),
    ),
    "special methods": Thing(
        SPECIALS,
        "Bag(2.0, 1.0)",
        (
            "len({o})",
            "{o}[0]",
            "sum({o})",
            "float({o})",
            "-{o}",
            "{o} + 1",
            "{o}.extra",
            "{o}(2.0)",
            "len(str({o}))",
            "max({o})",
            "len(list({o}))",
            "len(f'''{{{o}}}''')",  # the path of an object may have either quotes
        ),
        (
            "{o}[0] = {n}",
            "{o}.items.append({n})",
            "{o}.items[-1] += 1",
            "Bag.__len__ = lambda self: int({n})",
            "Bag.__gt__ = lambda self, other: other < {n}",
            '{o}.__class__ = type("More", (Bag,), {{"__float__": lambda self: float({n})}})',
        ),
        ("{o} < 3", "{o} > 2", "2.0 in {o}", "bool({o})", "{o}", "{o} == 1.0", "not {o}"),
        ("{x} * {o}[0]", "{o}({x})"),
        ("{o}",),
        SPECIAL,
        ("{o}",),
    ),
    "descriptor": Thing(
        SPECIALS,
        "Metered()",
        ("{o}.value", "{o}.reads"),
        ("{o}.value = {n}", "{o}.value += 1"),
        definitions=DESCRIPTOR,
    ),
    "array": Thing(
        STATE,
        "np.array([1.0, 2.0, 0.5], np.float32)",
        ("float({o}[0])", "float({o}.sum())", "int({o}.argmax())"),
        (
            "{o}[0] += 1",
            "{o}[1:][0] = {n}",
            "same = {o}; same *= 2",
            "np.add({o}, 1, out={o})",
            "{o}.fill({n})",
            "{o}[::-1].sort()",
        ),
        ("{o}[0] > 1.5", "({o} > 1).any()"),
        ("Tensor({o})",),
        ("{o}",),
    ),
    "iterator": Thing(
        EFFECTS,
        "iter([1.0, 2.0, 3.0, 4.0, 5.0, 6.0] * 20)",
        ("next({o})", "next({o}, 0)"),
        ("next({o})",),
        items=("itertools.islice({o}, 2)",),
    ),
    "count": Thing(EFFECTS, "itertools.count(1)", ("next({o})",), ("next({o})",)),
    "cycle": Thing(EFFECTS, "itertools.cycle([1.0, 2.0])", ("next({o})",), ("next({o})",)),
    "own iterator": Thing(
        EFFECTS,
        "Ticks()",
        ("next({o})", "{o}.n"),
        ("next({o})", "{o}.n = {n}"),
        definitions=TICKS,
        items=("itertools.islice({o}, 2)",),
    ),
    "generator": Thing(EFFECTS, "ticking()", ("next({o})",), ("next({o})",), definitions=TICKS),
    "closure counter": Thing(
        EFFECTS,
        "make_counter()",
        ("{o}()", "{o}(0)", "{o}.__closure__[0].cell_contents"),
        ("{o}()", "{o}(2)"),
        definitions=COUNTER,
    ),
    "decorated": Thing(
        EFFECTS,
        "counted(lambda v: v + 1)",
        ("{o}(1.0)", "{o}.count"),
        ("{o}.count = {n}", "{o}(0)"),
        tensors=("{o}({x})",),
        definitions=COUNTER,
    ),
    "cached": Thing(
        EFFECTS,
        "functools.lru_cache(lambda n: n + 1)",
        ("{o}(1)", "{o}.cache_info().hits"),
        ("{o}(2)", "{o}.cache_clear()"),
    ),
    "partial": Thing(
        EFFECTS,
        "functools.partial(max, 2)",
        ("{o}(1)", '{o}.keywords.get("k", 1)'),
        ('{o}.keywords["key"] = abs',),
    ),
    "queue": Thing(
        EFFECTS,
        "queue.Queue()",
        ("{o}.qsize()",),
        ("{o}.put({n})", "{o}.put(1.0) if {o}.empty() else {o}.get()"),
        ("{o}.empty()",),
    ),
    "text": Thing(
        EFFECTS,
        "io.StringIO()",
        ("len({o}.getvalue())",),
        ('{o}.write("ab")', 'print("on", file={o})'),
    ),
    "context variable": Thing(
        SPECIALS,
        'contextvars.ContextVar("v{k}", default=1.0)',
        ("{o}.get()",),
        ("{o}.set({n})", "{o}.set({o}.get() + 1)"),
    ),
    "file": Thing(
        SPECIALS,
        'FOLDER / "note{k}.txt"',
        ("len({o}.read_text()) if {o}.exists() else 0", "len(os.listdir(FOLDER))", "int({o}.is_file())"),
        ('_ = {o}.write_text("abc")', '_ = {o}.write_text("a" * 5)', "{o}.unlink(missing_ok=True)"),
        ("{o}.exists()",),
    ),
    "environment": Thing(
        SPECIALS,
        "os.environ",
        ('float(os.environ.get("FUZZ", "1"))',),
        ('{o}["FUZZ"] = str({n})', '{o}.pop("FUZZ", None)'),
        ('"FUZZ" in {o}',),
    ),
    "default_rng": Thing(
        RANDOM,
        "np.random.default_rng(3)",
        ("{o}.normal()", "{o}.random()", "int({o}.integers(5))"),
        ("{o}.random()",),
        ("{o}.random() > 0.5",),
        ("Tensor({o}.normal(size=3).astype(np.float32))",),
    ),
    "RandomState": Thing(RANDOM, "np.random.RandomState(3)", ("{o}.rand()", "int({o}.randint(9))"), ("{o}.rand()",)),
    "Random": Thing(
        RANDOM,
        "random.Random(3)",
        ("{o}.random()", "{o}.choice([1, 2, 3])", "{o}.randint(1, 6)"),
        ("{o}.random()", "{o}.seed(1)"),
        ("{o}.random() > 0.5",),
    ),
    "global random": Thing(
        RANDOM,
        "random",
        ("{o}.random()", "np.random.rand()", "random.choice([1, 2, 3])", "float(np.random.normal())"),
        ("{o}.random()", "np.random.seed(2)"),
        ("random.random() > 0.5",),
    ),
    "tensor": Thing(
        STATE,
        "Tensor([1.0, 2.0, 3.0])",
        ("{o}.shape[0]", "{o}.ndim"),
        ("{o}[0] = {n}", "{o}[1:] = {n}", "{o}[0] += 1"),
        ("{o}.shape == (3,)",),
        ("{o}", "{o} * 2"),
    ),
    "parameter": Thing(
        STATE,
        'Parameter(Tensor([1.0, 2.0, 3.0]), name="w{k}")',
        ("{o}.ndim",),
        ("ops.assign({o}, {x})", "{o}.set_data({x})", "ops.assign_add({o}, {x})"),
        ("{o}.requires_grad",),
        ("{o}", "{o} + 1"),
    ),
    "logger": Thing(
        EFFECTS,
        "make_logger()",
        ("len({o}.handlers[0].kept)",),
        ('{o}.info("called")', '{o}.warning("n is %s", {n})'),
        definitions=LOGGER,
    ),
}


def fill(template, **words):
    """A template with its words; doubled braces become single ones."""
    for name, word in words.items():
        template = template.replace(f"{{{name}}}", word)
    return template.replace("{{", "{").replace("}}", "}")
