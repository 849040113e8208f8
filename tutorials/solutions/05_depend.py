# ruff: noqa: F811, F821 - each cell takes the place of the lesson's exercise, and uses what the lesson imports

# %% hint
# It is a graph search: start from the nodes that must stay, and follow what they need until nothing new is found.

# %% hint
# A node needs two things: the producers of its operands, `map(producer, graph.ins(node))`, and the nodes that must
# run before it, `graph.before(node)`. Without the latter, the update is lost again.

# %% hint
# Collect `needed` with a stack that starts as `[*map(producer, graph.outs), *graph.inputs]`. At the end, erase once:
# `graph.erase(set(graph) - needed)`.

# %% solution
def dce(graph, *, options):
    needed = set()
    stack = [*map(producer, graph.outs), *graph.inputs]
    while stack:
        node = stack.pop()
        if node not in needed:
            needed.add(node)
            stack += map(producer, graph.ins(node))
            stack += graph.before(node)
    graph.erase(set(graph) - needed)


# %% wrong: erased %\d+ = p\d := \(.*\), but a later node depends on it
def dce(graph, *, options):
    needed = set()
    stack = [*map(producer, graph.outs), *graph.inputs]
    while stack:
        node = stack.pop()
        if node not in needed:
            needed.add(node)
            stack += map(producer, graph.ins(node))
    graph.erase(set(graph) - needed)


# %% wrong: not erased: %\d+ = \w+ .*, although no output needs it
def dce(graph, *, options):
    graph.erase(node for node in list(graph) if not graph.use_count(node) and not graph.after(node))


# %% wrong: edits to erase \d+ nodes: erase\(nodes\) takes a set
def dce(graph, *, options):
    needed = set()
    stack = [*map(producer, graph.outs), *graph.inputs]
    while stack:
        node = stack.pop()
        if node not in needed:
            needed.add(node)
            stack += [*map(producer, graph.ins(node)), *graph.before(node)]
    for node in sorted(set(graph) - needed, reverse=True):
        graph.set_operands(node, ())
        graph.erase([node])
