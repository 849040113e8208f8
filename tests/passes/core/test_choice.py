"""Decisions by cost: their text and their old names."""

import pytest

from passes import Choice


def test_the_old_name_of_the_chosen_alternative_warns():
    with pytest.warns(DeprecationWarning, match=r"Choice\.taken was renamed to Choice\.chosen"):
        assert Choice(-1, (), "form", 2, ()).taken == "form"
