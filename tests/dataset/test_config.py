import pytest

from minigraph.dataset.config import DEFAULT_SEED, MAX_SEED, get_seed, set_seed
from tests.tables import cases, every


@every(seed=[0, 1, MAX_SEED])
def test_every_test_starts_from_the_default_seed_and_a_seed_is_kept(seed):
    assert get_seed() == DEFAULT_SEED
    set_seed(seed)
    assert get_seed() == seed


@cases(
    (True, TypeError, "must be an int, got bool True"),
    (1.0, TypeError, "must be an int, got float 1.0"),
    ("1", TypeError, "must be an int, got str '1'"),
    (-1, ValueError, r"required interval of \[0, 4294967295\], got -1"),
    (MAX_SEED + 1, ValueError, r"required interval of \[0, 4294967295\]"),
)
def test_an_invalid_seed_raises_and_changes_nothing(seed, error, text):
    set_seed(3)
    with pytest.raises(error, match=text):
        set_seed(seed)
    assert get_seed() == 3
