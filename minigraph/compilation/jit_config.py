"""``JitConfig``: MindSpore's older object of settings of the compiler."""

from __future__ import annotations

from typing import Any

from minigraph.core.errors import ArgValueError

CHOICES = {
    "jit_level": ("", "O0", "O1", "O2"),
    "exc_mode": ("auto", "sink", "no_sink"),
    "jit_syntax_level": ("", "STRICT", "COMPATIBLE", "LAX"),
    "debug_level": ("RELEASE", "DEBUG"),
    "infer_boost": ("", "on", "off"),
}
BACKENDS = {"O0": "ms_backend", "O1": "ms_backend", "O2": "GE"}


class JitConfig:
    """Settings for ``Cell.set_jit_config``, which keeps them without effect; ``jit`` has its own options.

    Raises ``ValueError`` for a value that MindSpore does not know; other keywords are kept.

    >>> JitConfig(jit_level="O1").jit_config_dict["backend"]
    'ms_backend'
    """

    def __init__(
        self, jit_level: str = "", exc_mode: str = "auto", jit_syntax_level: str = "", debug_level: str = "RELEASE",
        infer_boost: str = "off", **kwargs: Any,
    ) -> None:  # fmt: skip
        options = {
            "jit_level": jit_level, "exc_mode": exc_mode, "jit_syntax_level": jit_syntax_level,
            "debug_level": debug_level, "infer_boost": infer_boost,
        }  # fmt: skip
        for name, value in options.items():
            if value not in CHOICES[name]:
                choices = [choice for choice in CHOICES[name] if choice]
                raise ArgValueError(f"For '{name}' must be one of {choices}, but got {value!r}.")
        backend = {"backend": BACKENDS[jit_level]} if jit_level in BACKENDS else {}
        self.jit_config_dict: dict[str, Any] = backend | kwargs | options
