"""Programs are instructions and loops."""

from minigraph.npu.engine.program import QUEUES, Instr, Loop, instruction_count


def test_the_instruction_count_unrolls_nested_loops_and_the_queues_are_the_vendors():
    add = Instr("V", "VADD", 1)
    assert instruction_count((add, Loop((add, Loop((add, add), 3)), 5))) == 1 + 5 * (1 + 6)
    assert instruction_count(()) == 0
    assert QUEUES == ("S", "V", "M", "MTE1", "MTE2", "MTE3", "FIXP")
