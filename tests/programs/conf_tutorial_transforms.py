import minigraph as ms
# Transforms of numbers, pictures and text in pipelines and on single samples.
import numpy as np
from parts import part, show
from minigraph import Tensor
from minigraph.dataset import GeneratorDataset, NumpySlicesDataset, text, transforms, vision
from minigraph.dataset.vision import Border, Inter

rng = np.random.RandomState(3)
picture = rng.randint(0, 256, (12, 10, 3)).astype(np.uint8)


@part
def compose():
    composed = transforms.Compose([vision.Rescale(1.0 / 255.0, 0), vision.Normalize(mean=(0.1307,), std=(0.3081,)), vision.HWC2CHW()])
    gray = picture[:, :, :1]
    d = GeneratorDataset([(gray, 1)], ["image", "label"]).map(composed, "image")
    image, label = next(d.create_tuple_iterator())
    print(show(image), label)
    out = composed(gray)
    print(type(out).__name__, show(out))
    print(show(vision.Rescale(1.0 / 255.0, 0)(gray)), show(vision.Normalize((0.5,), (0.5,), is_hwc=True)(gray.astype(np.float32))))


@part
def common():
    print(transforms.OneHot(4)(np.array(2)), transforms.Fill(7)(np.array([1, 2])), transforms.TypeCast(ms.float16)(np.array([1, 2])).dtype)
    print(transforms.PadEnd([5], 9)(np.array([1, 2, 3])), transforms.Slice(slice(0, 2))(np.array([4, 5, 6])), transforms.Mask(transforms.Relational.GT, 2)(np.array([1, 2, 3, 4])))
    print(transforms.Concatenate(0, np.array([7]))(np.array([1, 2])), show(transforms.Duplicate()(np.array([1]))))
    print(transforms.OneHot(3, smoothing_rate=0.1)(np.array(1)))
    d = NumpySlicesDataset([0, 1, 2], ["label"], shuffle=False).map(transforms.OneHot(3), "label")
    print([row[0].tolist() for row in d.create_tuple_iterator(output_numpy=True)])
    d = NumpySlicesDataset([1, 2, 3], shuffle=False).map(lambda x: x * x + 2)
    print([row[0] for row in d])
    picked = transforms.RandomApply([lambda x: x + 1], prob=1.0)(np.array([1]))
    chosen = transforms.RandomChoice([lambda x: x + 1])(np.array([1]))
    print(picked, chosen, sorted(transforms.RandomOrder([lambda x: x + 1])(np.array([1])).tolist()))


@part
def sizes():
    for t in (vision.Resize((6, 5), Inter.NEAREST), vision.Resize([24, 20], Inter.NEAREST), vision.CenterCrop(6), vision.CenterCrop((4, 8)), vision.Crop((1, 2), 4),
              vision.Pad([1, 2]), vision.Pad(1, fill_value=9, padding_mode=Border.CONSTANT), vision.Pad(2, padding_mode=Border.EDGE), vision.Pad(2, padding_mode=Border.REFLECT),
              vision.Resize(6), vision.Resize((24, 30)), vision.HorizontalFlip(), vision.VerticalFlip(), vision.HWC2CHW(), vision.Invert(), vision.ResizedCrop(1, 1, 6, 6, (4, 4), Inter.NEAREST),
              vision.RandomHorizontalFlip(1.0), vision.RandomVerticalFlip(0.0), vision.ConvertColor(vision.ConvertMode.COLOR_RGB2GRAY), vision.AdjustBrightness(1.5), vision.AdjustContrast(0.5),
              vision.AdjustSaturation(2.0), vision.AdjustGamma(0.5), vision.Equalize(), vision.AutoContrast(), vision.Posterize(3), vision.Solarize((50, 200)), vision.GaussianBlur(3, 3),
              vision.Rotate(90), vision.Erase(1, 1, 2, 2)):
        out = t(picture)
        print(type(t).__name__, show(out))


@part
def randomised():
    for t in (vision.RandomCrop(6), vision.RandomCrop(8, padding=2), vision.RandomResizedCrop(7), vision.RandomColorAdjust(0.2, 0.2, 0.2, 0.1), vision.RandomRotation(15),
              vision.RandomAffine(10), vision.RandomErasing(0.5), vision.RandomSharpness(), vision.RandomPosterize((1, 4)), vision.RandomSolarize((0, 100)), vision.AutoAugment(), vision.RandAugment(),
              vision.TrivialAugmentWide(), vision.RandomResize(5), vision.RandomColor((0.5, 1.5)), vision.RandomLighting(0.1), vision.RandomAdjustSharpness(2, 1.0), vision.RandomEqualize(1.0),
              vision.RandomInvert(1.0), vision.RandomAutoContrast(1.0), vision.UniformAugment([vision.RandomHorizontalFlip(), vision.RandomVerticalFlip()], 1)):
        chw = vision.ToTensor()(picture) if type(t).__name__ == "RandomErasing" else picture
        out = t(chw)
        print(type(t).__name__, out.shape, out.dtype)


@part
def batches():
    d = GeneratorDataset([(picture, 0), (255 - picture, 1)], ["image", "label"], shuffle=False)
    d = d.map(transforms.OneHot(2), "label").batch(2)
    mixed = d.map(vision.MixUpBatch(1.0), ["image", "label"])
    cut = d.map(vision.HWC2CHW(), "image") if False else d
    for image, label in mixed.create_tuple_iterator(output_numpy=True):
        print(image.shape, label.shape, label.dtype, np.allclose(label.sum(1), 1))


@part
def words():
    texts = ["Welcome to Beijing", "Have a nice day", "Beijing is nice"]
    def source():
        return NumpySlicesDataset(texts, column_names=["text"], shuffle=False)

    def tokenized():
        return source().map(text.PythonTokenizer(lambda line: line.split()))

    for (row,) in tokenized().create_tuple_iterator(num_epochs=1):
        print(row)
    print([row["text"].tolist() for row in source().map(text.WhitespaceTokenizer()).create_dict_iterator(num_epochs=1, output_numpy=True)])
    vocab = text.Vocab.from_dataset(tokenized())
    print(sorted(vocab.vocab().items()))
    print([row[0] for row in tokenized().map(text.Lookup(vocab), "text")])
    v = text.Vocab.from_list(["a", "b", "c"], special_tokens=["<pad>", "<unk>"], special_first=True)
    print(sorted(v.vocab().items()), v.tokens_to_ids("b"), v.tokens_to_ids(["a", "c"]), v.ids_to_tokens([0, 3]), v.tokens_to_ids("zz"))
    print(text.Vocab.from_dict({"x": 3, "y": 4}).vocab())
    look = text.Lookup(v, "<unk>", ms.int32)
    print(look(np.array(["a", "q"])), look("b"))
    print(text.UnicodeCharTokenizer()("abc"), text.Ngram(2, ("", 0), ("", 0), "_")(np.array(["a", "b", "c"])), text.ToNumber(ms.int32)(np.array(["3", "4"])))
    print(text.CaseFold()("AbC"), text.RegexReplace("a", "b")("banana"), text.BasicTokenizer(True)("Hi, you"), text.WordpieceTokenizer(text.Vocab.from_list(["un", "##able", "[UNK]"]))("unable"))
    print(text.SlidingWindow(2)(np.array(["1", "2", "3"])), show(text.TruncateSequencePair(3)(np.array([1, 2, 3]), np.array([4, 5]))), text.Truncate(2)(["a", "b", "c"]), text.AddToken("[S]", True)(["a"]))


@part
def text_pipeline():
    d = NumpySlicesDataset({"text": ["a b", "b c c"], "label": [0, 1]}, shuffle=False)
    d = d.map(text.WhitespaceTokenizer(), "text")
    v = text.Vocab.from_list(["a", "b", "c"], ["<pad>", "<unk>"])
    d = d.map(text.Lookup(v, "<unk>"), "text").map(transforms.PadEnd([4], v.tokens_to_ids("<pad>")), "text").map(transforms.TypeCast(ms.float32), "label").batch(2)
    print(d.get_dataset_size(), d.get_col_names())
    print([show(x) for x in next(d.create_tuple_iterator())])
    print(text.to_str(np.array([b"ab"])), text.to_bytes(np.array(["ab"])))
