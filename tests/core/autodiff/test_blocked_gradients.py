"""Reports of gradients behind values that are not differentiable; test_differentiability.py has their texts."""

import pytest

from minigraph import Tensor
from minigraph.capture.trace import trace
from minigraph.core.autodiff.blocked_gradients import report_blocked_gradients
from minigraph.core.autodiff.differentiability import Blocker, Diagnostics, NonDifferentiableWarning
from minigraph.core.errors import CaptureError


@pytest.mark.parametrize(
    ("is_zero", "is_certain", "is_refused"), [(True, True, False), (True, False, True), (False, True, True)]
)
def test_only_gradients_that_depend_on_the_run_are_refused(is_zero, is_certain, is_refused):
    diagnostics, x = Diagnostics(), Tensor(3.0)
    diagnostics.blockers[x] = Blocker("i64[]", None, is_certain)

    def report(y):
        report_blocked_gradients(diagnostics, [("argument 0", x, x)])
        diagnostics.uncertain.add(x)
        if is_refused:
            with pytest.raises(CaptureError, match="whether argument 0 has a gradient depends on a branch or loop"):
                report_blocked_gradients(diagnostics, [("argument 0", x, None if is_zero else x)])
        else:
            with pytest.warns(NonDifferentiableWarning, match="the gradient w.r.t. argument 0 is zero"):
                report_blocked_gradients(diagnostics, [("argument 0", x, None if is_zero else x)])
        return y

    trace(report, x)
