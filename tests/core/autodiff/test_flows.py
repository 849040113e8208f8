"""Certainty of gradients through calls of a tape."""

from minigraph import Tensor
from minigraph.core.autodiff.differentiability import DiagnosticTape
from minigraph.core.autodiff.flows import EntryFlows
from minigraph.core.op import record_on


def test_a_call_passes_on_the_certainty_of_its_result():
    tape, x, y = DiagnosticTape(), Tensor(3.0), Tensor(2.0)
    tape.watch(x)
    tape.watch(y)
    out = record_on(tape).call(lambda: x * y)
    tape.diagnostics.uncertain.add(out)
    flows = EntryFlows(tape, tape.entries[0], Tensor(1.0))
    assert flows.record_flow(0, Tensor(1.0)) and flows.record_flow(1, None)
    assert tape.diagnostics.uncertain == {out, x}
    tape.diagnostics.uncertain.discard(out)
    assert EntryFlows(tape, tape.entries[0], Tensor(1.0)).record_flow(0, Tensor(1.0))
    assert tape.diagnostics.uncertain == set()
