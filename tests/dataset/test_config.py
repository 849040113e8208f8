import pytest

from minigraph.dataset import config
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


@every(name=list(config.SETTINGS))
def test_a_setting_of_threads_is_kept(name):
    set_value, get_value = (getattr(config, f"{kind}_{name}") for kind in ("set", "get"))
    argument, default, _ = config.SETTINGS[name]
    assert get_value() is default
    for value in (not default if isinstance(default, bool) else 7, default):
        set_value(**{argument: value})
        assert get_value() == value


@cases(
    (lambda: config.set_prefetch_size(0), ValueError, r"size is not within the required interval of \[1, 2147483647\]"),
    (lambda: config.set_num_parallel_workers(True), TypeError, "num with value True is not of type .*int"),
    (lambda: config.set_enable_watchdog(1), TypeError, "enable must be of type bool"),
    (lambda: config.set_speed(1), AttributeError, "set_speed"),
)
def test_an_invalid_setting_raises(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_nothing_is_tuned(tmp_path):
    config.set_enable_autotune(True)
    assert config.get_enable_autotune()
    with pytest.warns(UserWarning, match="is not written; leave filepath_prefix out"):
        config.set_enable_autotune(True, str(tmp_path / "settings"))
    config.set_enable_autotune(False)
    assert not config.get_enable_autotune() and not list(tmp_path.iterdir())


@cases(
    ((1,), TypeError, "enable must be of type bool"),
    ((True, 3), TypeError, "json_filepath must be a str value but was: 3"),
    ((True, ""), RuntimeError, "json_filepath cannot be the empty string"),
    ((True, "."), RuntimeError, "<.> is a directory, not filename"),
    ((True, "no_such_folder/x"), RuntimeError, "Directory <no_such_folder> does not exist"),
)
def test_an_invalid_file_of_settings_raises(arguments, error, text):
    with pytest.raises(error, match=text):
        config.set_enable_autotune(*arguments)
    assert not config.get_enable_autotune()
