"""Makes a program that shows a difference shorter, as long as it shows the same one."""

import ast
import copy
import itertools
import re

from tests.capture.fuzz.program import Program, Setting, remove_unused_definitions
from tests.capture.fuzz.runner import check

MOST_RUNS = 120
SECONDS = 2  # of processor time for a shorter program, whose loop may never end


def symptom(difference):
    """The kind of a difference, which shrinking preserves: warned or silent, its place, and the beginning of an error's
    text.
    """
    text = difference.captured if difference.kind in ("refused", "crash") else ""
    words = re.sub(r"'[^']*'|\d+|%\w+|\[.*?\]", "", text.split(" in `")[0].splitlines()[0] if text else "")
    return f"{difference.kind} {difference.section} {words[:90]}".strip()


def shrink(program, difference):
    """The shortest program found that has the same symptom, and its difference."""
    target, runs = symptom(difference), 0
    best, best_difference, position, is_shorter = program, difference, 0, True
    while runs < MOST_RUNS:
        candidate = next(itertools.islice(_candidates(best), position, None), None)
        if candidate is None:
            if not is_shorter:
                break
            position, is_shorter = 0, False
            continue
        runs += 1
        verdict = check(candidate, SECONDS)
        if verdict.difference and symptom(verdict.difference) == target:
            best, best_difference, is_shorter = candidate, verdict.difference, True
        else:
            position += 1
    return best, best_difference


def _candidates(program):
    """Shorter programs: in a plainer setting, without a statement, with simpler expressions."""
    plainer = [Setting("ast", program.setting.context_mode, program.setting.form)]
    plainer.append(Setting(program.setting.capture_mode, "PYNATIVE_MODE", program.setting.form))
    yield from (program._replace(setting=setting) for setting in plainer if setting != program.setting)
    tree = ast.parse(program.text)
    for edit in [*_statement_edits(tree), *_parameter_edits(tree), *_expression_edits(tree)]:
        if text := _apply_edit(tree, edit):
            yield Program(text, program.setting, program.families)


def _apply_edit(tree, edit):
    """The text after an edit, a function of a copy's nodes; empty where it is not shorter or not a program."""
    changed = copy.deepcopy(tree)
    edit([*ast.walk(changed)])
    try:
        text = remove_unused_definitions(ast.unparse(ast.fix_missing_locations(changed)))
    except (SyntaxError, ValueError, AttributeError):
        return ""
    return text if len(text) < len(ast.unparse(tree)) else ""


def _statement_edits(tree):
    """Edits that remove a statement, or put the block inside of it in its place; the largest first."""
    edits = []
    for number, node in enumerate(ast.walk(tree)):
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            block = getattr(node, field, None)
            for k, inner in enumerate(block if isinstance(block, list) else ()):
                size = sum(1 for _ in ast.walk(inner))
                edits.append((size, _removal(number, field, k)))
                edits += [
                    (size - 1, _hoist_edit(number, field, k, part)) for part in ("body", "orelse") if _has(inner, part)
                ]
    return [edit for _, edit in sorted(edits, key=lambda pair: -pair[0])]


def _has(node, field):
    is_block = isinstance(node, ast.If | ast.For | ast.While | ast.With | ast.Try)
    return is_block and bool(getattr(node, field, None))


def _removal(number, field, k):
    def edit(nodes):
        block = getattr(nodes[number], field)
        del block[k]
        if not block and field == "body":
            block.append(ast.Pass())

    return edit


def _hoist_edit(number, field, k, part):
    def edit(nodes):
        block = getattr(nodes[number], field)
        block[k : k + 1] = getattr(block[k], part)

    return edit


def _parameter_edits(tree):
    """Edits that remove a parameter of the function and the argument of its calls."""
    functions = [node for node in ast.walk(tree) if getattr(node, "name", "") in ("step", "construct")]
    for function in functions:
        first = int(function.name == "construct")
        yield from (_parameter_removal(k, first) for k in reversed(range(len(function.args.args) - first)))


def _parameter_removal(k, first):
    def edit(nodes):
        for node in nodes:
            if getattr(node, "name", "") in ("step", "construct"):
                with_default = len(node.args.args) - len(node.args.defaults)
                if k + first >= with_default:
                    del node.args.defaults[k + first - with_default]
                del node.args.args[k + first]
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "call":
                del node.args[k : k + 1]

    return edit


def _expression_edits(tree):
    """Edits that put a part of an expression in its place."""
    for number, node in enumerate(ast.walk(tree)):
        if isinstance(node, ast.Raise):
            continue
        for field, value in ast.iter_fields(node):
            for part in _parts(value):
                yield _replacement(number, field, part)


def _parts(value):
    """The attributes of an expression that may replace it, each with the index in a list."""
    if isinstance(value, ast.BinOp):
        return [("left", None), ("right", None)]
    if isinstance(value, ast.IfExp):
        return [("body", None), ("orelse", None)]
    if isinstance(value, ast.BoolOp):
        return [("values", k) for k in range(len(value.values))]
    if isinstance(value, ast.Tuple | ast.List) and isinstance(value.ctx, ast.Load):
        return [("elts", k) for k in range(len(value.elts))]
    if isinstance(value, ast.Call):
        return [("args", k) for k in range(len(value.args))]
    return []


def _replacement(number, field, part):
    def edit(nodes):
        name, k = part
        value = getattr(getattr(nodes[number], field), name)
        setattr(nodes[number], field, value if k is None else value[k])

    return edit
