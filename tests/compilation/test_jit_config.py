"""``JitConfig`` keeps its settings, and refuses values that MindSpore does not know."""

from minigraph import JitConfig
from tests.tables import error_cases


def test_settings_are_kept_as_mindspore_keeps_them():
    config = JitConfig("O2", own="x").jit_config_dict
    assert config == {
        "jit_level": "O2", "exc_mode": "auto", "jit_syntax_level": "", "debug_level": "RELEASE", "infer_boost": "off",
        "own": "x", "backend": "GE",
    }  # fmt: skip


test_errors = error_cases(
    (lambda: JitConfig("O9"), ValueError, r"For 'jit_level' must be one of \['O0', 'O1', 'O2'\]"),
    (lambda: JitConfig(infer_boost="maybe"), ValueError, "infer_boost"),
)
