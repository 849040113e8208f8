"""Certainty of gradients through calls of a tape."""

import pytest

from minigraph import Tensor
from minigraph.core.autodiff.differentiability import Cut, Cuts
from minigraph.core.autodiff.flows import EntryFlows, refuse_uncertain
from minigraph.core.autodiff.tape import Tape
from minigraph.core.errors import CaptureError
from minigraph.core.op import record_on


def test_a_call_passes_on_the_certainty_of_its_result():
    tape, x, y = Tape(), Tensor(3.0), Tensor(2.0)
    tape.watch(x)
    tape.watch(y)
    out = record_on(tape).call(lambda: x * y)
    tape._accumulate(out, Tensor(1.0))
    tape.cuts.uncertain.add(out)
    flows = EntryFlows(tape, tape.entries[0])
    assert flows.record_flow(0, Tensor(1.0)) and flows.record_flow(1, None)
    assert tape.cuts.uncertain == {out, x}
    tape.cuts.uncertain.discard(out)
    assert EntryFlows(tape, tape.entries[0]).record_flow(0, Tensor(1.0))
    assert tape.cuts.uncertain == set()


@pytest.mark.parametrize(
    ("is_zero", "is_certain", "is_refused"), [(True, True, False), (True, False, True), (False, True, True)]
)
def test_only_what_depends_on_the_run_is_refused(is_zero, is_certain, is_refused):
    cuts, x = Cuts(), Tensor(3.0)
    cuts.marks[x] = Cut("i64[]", None, is_certain)
    refuse_uncertain(cuts, [("argument 0", x, x)])
    cuts.uncertain.add(x)
    if is_refused:
        with pytest.raises(CaptureError, match="whether argument 0 has a gradient depends on a branch or loop"):
            refuse_uncertain(cuts, [("argument 0", x, None if is_zero else x)])
    else:
        refuse_uncertain(cuts, [("argument 0", x, None if is_zero else x)])
