"""The enumerations have MindSpore's values."""

from minigraph.dataset import audio
from minigraph.dataset.audio import enums


def test_members() -> None:
    assert audio.WindowType("hann") is audio.WindowType.HANN and audio.ScaleType.POWER == "power"
    assert {name: len(getattr(audio, name)) for name in enums.__all__} == {
        "BorderType": 4, "FadeShape": 5, "GainType": 3, "MelType": 2, "NormMode": 2, "NormType": 2, "ScaleType": 2,
        "WindowType": 5,
    }  # fmt: skip
