"""Random changes of images: their results at probability 1, their ranges, and the dataset seed."""

import numpy as np
import pytest

from minigraph.dataset import config, vision
from minigraph.dataset.vision.random_operations import OPERATION_TABLE
from tests.tables import error_cases

IMAGE = np.random.RandomState(0).randint(0, 256, (16, 20, 3)).astype(np.uint8)
SAME = {  # random operations without randomness, and their results
    "RandomInvert": (vision.RandomInvert(1.0), vision.Invert()),
    "RandomEqualize": (vision.RandomEqualize(1.0), vision.Equalize()),
    "RandomAutoContrast": (vision.RandomAutoContrast(prob=1.0), vision.AutoContrast()),
    "RandomAdjustSharpness": (vision.RandomAdjustSharpness(2.0, 1.0), vision.AdjustSharpness(2.0)),
    "RandomColor": (vision.RandomColor((0.5, 0.5)), vision.AdjustSaturation(0.5)),
    "RandomSharpness": (vision.RandomSharpness((0.5, 0.5)), vision.AdjustSharpness(0.5)),
    "RandomPosterize": (vision.RandomPosterize(3), vision.Posterize(3)),
    "RandomSolarize": (vision.RandomSolarize((128, 128)), vision.Solarize(128)),
    "RandomColorAdjust brightness": (vision.RandomColorAdjust(brightness=(0.5, 0.5)), vision.AdjustBrightness(0.5)),
    "RandomColorAdjust hue": (vision.RandomColorAdjust(hue=(0.1, 0.1)), vision.AdjustHue(0.1)),
    "RandomSelectSubpolicy": (vision.RandomSelectSubpolicy([[(vision.Invert(), 1), (vision.Posterize(8), 0)]]),
                              vision.Invert()),
    "RandomLighting": (vision.RandomLighting(0.0), lambda image: image),
    "RandomErasing": (vision.RandomErasing(0.0), lambda image: image),
    "RandomResizedCrop": (vision.RandomResizedCrop((16, 20), (1, 1), (1.25, 1.25)), lambda image: image),
}  # fmt: skip


@pytest.mark.parametrize(("random", "certain"), SAME.values(), ids=SAME)
def test_at_certainty(random, certain):
    np.testing.assert_array_equal(random(IMAGE), certain(IMAGE))


def test_mindspores_bytes():
    image = np.random.RandomState(0).randint(0, 256, (4, 5, 3)).astype(np.uint8)
    result = vision.RandomColorAdjust(saturation=(0.5, 0.5))(image).reshape(-1)[:10].tolist()
    assert result == [132, 70, 104, 158, 96, 188, 158, 112, 64, 157]


def test_the_dataset_seed_repeats_the_changes():
    def changes():
        config.set_seed(5)
        made = [vision.RandomColorAdjust(0.5, 0.5, 0.5, 0.1), vision.RandomResizedCrop(8), vision.RandomLighting(1.0)]
        return [operation(IMAGE).tobytes() for operation in made for _ in range(3)]

    first = changes()
    assert changes() == first and len(set(first)) == len(first)


def test_parts():
    cut = vision.CutOut(4, 2)(IMAGE + 1 * (IMAGE == 0))
    assert 0 < (cut == 0).all(-1).sum() <= 32
    erased = vision.RandomErasing(1.0, value=3)(np.zeros((3, 16, 20), np.float32))
    share = (erased == 3).mean()
    assert 0.01 < share < 0.4 and vision.RandomErasing(1.0, value="random")(erased).std() > 0.1
    shapes = {vision.RandomResizedCrop(size)(IMAGE).shape for size in (8, (4, 6))}
    assert shapes == {(8, 8, 3), (4, 6, 3)}
    assert vision.RandomResizedCrop(4, (0.9, 1), (9, 9))(IMAGE).shape == (4, 4, 3)


def test_augmentations_are_applied_half_of_the_time():
    augment = vision.UniformAugment([vision.Invert(), vision.Posterize(1)], 1)
    kinds = [augment(IMAGE).tobytes() for _ in range(40)]
    assert len(set(kinds)) == 3 and 8 < kinds.count(IMAGE.tobytes()) < 32
    assert {"CutOut", "RandomColorAdjust"} <= OPERATION_TABLE.keys()


test_errors = error_cases(
    (lambda: vision.RandomInvert(2.0)(IMAGE), ValueError, "prob"),
    (lambda: vision.RandomColor((2.0, 1.0))(IMAGE), ValueError, "smaller value first"),
    (lambda: vision.RandomSelectSubpolicy([]), ValueError, "can not be empty"),
    (lambda: vision.RandomSelectSubpolicy([[(vision.Invert(), 2.0)]]), ValueError, "prob"),
    (lambda: vision.UniformAugment([vision.Invert()], 2), ValueError, "num_ops is greater"),
    (lambda: vision.RandomErasing()(IMAGE[0]), RuntimeError, r"\[C, H, W\]"),
)
