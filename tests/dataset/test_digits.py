import numpy as np
import pytest

from minigraph.core.errors import UsageError
from minigraph.dataset.digits import CLASSES, COUNT, FILE, MAX_INTENSITY, PIXELS, load_digits, read_digits
from tests.tables import cases, every


@pytest.fixture(scope="module")
def digits():
    return load_digits()


@pytest.fixture
def archive(tmp_path, digits):
    """A function that writes a valid archive with the given arrays replaced."""

    def write(**changed):
        arrays = {"images": np.zeros((COUNT, PIXELS), np.uint8), "labels": np.zeros(COUNT, np.uint8)}
        np.savez(tmp_path / "other.npz", **(arrays | changed))
        return tmp_path / "other.npz"

    return write


def test_types_ranges_and_counts_equal_the_source(digits):
    # types and ranges
    assert (digits.images.dtype, digits.images.shape) == (np.float32, (COUNT, PIXELS))
    assert (digits.labels.dtype, digits.labels.shape, digits.images.min()) == (np.int32, (COUNT,), 0.0)
    assert digits.images.max() == 1.0
    # pixels are counts of sixteen
    counts = digits.images * MAX_INTENSITY
    assert np.array_equal(counts, counts.round())
    # both parts hold every digit
    for part in digits.split():
        assert set(part.labels.tolist()) == set(range(CLASSES))


def test_the_digits_equal_the_source_and_keep_their_labels(digits):
    # the number of images per digit in the source
    """The repository's own table of the test file's classes, 0 to 9."""
    assert np.bincount(digits.labels, minlength=CLASSES).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    # the images are digits
    """Each digit's mean image is nearest to most of its own images, as it would not be for shuffled labels."""
    means = np.stack([digits.images[digits.labels == digit].mean(0) for digit in range(CLASSES)])
    assert (((digits.images[:, None] - means) ** 2).sum(2).argmin(1) == digits.labels).mean() > 0.85
    # images keep their labels
    labels_of = {}
    for image, label in zip(digits.images, digits.labels, strict=True):
        labels_of.setdefault(image.tobytes(), set()).add(int(label))
    for part in digits.split(seed=5):
        assert all(int(y) in labels_of[x.tobytes()] for x, y in zip(part.images, part.labels, strict=True))


def test_the_values_equal_scikit_learn(digits):
    peer = pytest.importorskip("sklearn.datasets").load_digits()
    assert np.array_equal(digits.images * MAX_INTENSITY, peer.data)
    assert np.array_equal(digits.labels, peer.target)


def test_the_file_is_small_and_has_its_licence():
    assert FILE.stat().st_size < 60_000
    note = FILE.with_name("DIGITS_LICENSE.txt").read_text()
    for part in ("Alpaydin", "Kaynak", "1998", "UCI Machine Learning Repository", "CC BY 4.0", "Changes made"):
        assert part in note


def test_split_parts_are_disjoint_whole_and_repeat_by_seed(digits):
    # split parts are disjoint and whole
    train, test = digits.split()
    assert (len(train.labels), len(test.labels)) == (1438, 359)
    assert sorted(np.concatenate([train.images, test.images]).tolist()) == sorted(digits.images.tolist())
    # split repeats by seed and differs between seeds
    first, again, other = (digits.split(seed=seed)[1].labels for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("share", [0, 1, 1.5, -0.2, 0.0001])
def test_an_empty_set_raises(digits, share):
    with pytest.raises(ValueError, match="leaves one set empty"):
        digits.split(held_back=share)


@every(keep=[0, 10, 1000, 40_000])
def test_a_truncated_file_raises(tmp_path, keep):
    (tmp_path / "cut.npz").write_bytes(FILE.read_bytes()[:keep])
    with pytest.raises(UsageError, match="not the digits"):
        read_digits(tmp_path / "cut.npz")


def test_damaged_files_raise(tmp_path):
    damaged = bytearray(FILE.read_bytes())
    damaged[20_000] ^= 0xFF
    (tmp_path / "bad.npz").write_bytes(damaged)
    np.savez(tmp_path / "half.npz", images=np.zeros((COUNT, PIXELS), np.uint8))
    for name, text in (
        ("none", "none.npz: not the digits .*; reinstall minigraph"),
        ("bad", "not the digits"),
        ("half", r"labels\.npy"),
    ):
        with pytest.raises(UsageError, match=text):
            read_digits(tmp_path / f"{name}.npz")


@cases(
    ({"images": np.zeros((3, PIXELS), np.uint8)}, "images are uint8\\[3, 64\\], expected uint8\\[1797, 64\\]"),
    ({"images": np.zeros((COUNT, PIXELS), np.float32)}, "images are float32"),
    ({"images": np.zeros((PIXELS, COUNT), np.uint8).T}, "expected uint8"),
    ({"labels": np.full(COUNT, 10, np.uint8)}, "the maximum of labels is 10, expected at most 9"),
    ({"images": np.full((COUNT, PIXELS), 17, np.uint8)}, "the maximum of images is 17, expected at most 16"),
    ({"labels": np.array([print] * COUNT, object)}, "labels are object"),
)
def test_another_archive_raises(archive, changed, text):
    with pytest.raises(UsageError, match=text):
        read_digits(archive(**changed))


def test_a_valid_archive_is_read_and_each_call_returns_new_arrays(archive):
    labels = np.arange(COUNT, dtype=np.uint8) % CLASSES
    assert np.array_equal(read_digits(archive(labels=labels)).labels, labels)
    load_digits().images[:] = 7
    assert load_digits().images.max() == 1.0
