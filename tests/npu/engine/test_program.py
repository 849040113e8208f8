"""Programs are instructions and repeats."""

from minigraph.npu.engine.program import QUEUES, Instr, Repeat, length


def test_length_unrolls_nested_loops_and_the_queues_are_the_vendors():
    one = Instr("V", "VADD", 1)
    assert length((one, Repeat((one, Repeat((one, one), 3)), 5))) == 1 + 5 * (1 + 6)
    assert length(()) == 0
    assert QUEUES == ("S", "V", "M", "MTE1", "MTE2", "MTE3", "FIXP")
