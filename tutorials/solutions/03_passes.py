# ruff: noqa: F811, F821 - each cell takes the place of the lesson's exercise, and uses what the lesson imports

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


# %% wrong: erased %\d+ = p\d := \(.*\), but a later node waits for it
def dce(graph, *, options):
    needed = set()
    stack = [*map(producer, graph.outs), *graph.inputs]
    while stack:
        node = stack.pop()
        if node not in needed:
            needed.add(node)
            stack += map(producer, graph.ins(node))
    graph.erase(set(graph) - needed)


# %% wrong: left %\d+ = \w+ .*, which no output needs
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
