import minigraph as ms
# Data pipelines: sources, stages, iterators, sizes, shapes and types, and what is refused.
import numpy as np
ds, Tensor = ms.dataset, ms.Tensor


def report(label, fn):
    try:
        print(label, fn())
    except Exception as e:
        kinds = [k.__name__ for k in (ValueError, TypeError, RuntimeError, IndexError, AttributeError) if isinstance(e, k)]
        print(label, "-> refused", kinds)


def rows(data, **kw):
    return [[v.tolist() for v in row] for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True, **kw)]


def dicts(data):
    return [{k: v.tolist() for k, v in row.items()} for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)]


def pairs(n=5):
    return [(np.int32(i), np.float32(i * i)) for i in range(n)]


def source(n=5, **kw):
    return ds.GeneratorDataset(pairs(n), ["x", "y"], shuffle=False, **kw)


class Access:
    def __getitem__(self, i):
        return np.array([i, i + 1]), i % 2

    def __len__(self):
        return 4


class Iterable:
    def __iter__(self):
        return iter([(1, 2.0), (3, 4.0)])


class IterNext:
    def __init__(self):
        self.i = 0

    def __iter__(self):
        self.i = 0
        return self

    def __next__(self):
        self.i += 1
        if self.i > 3:
            raise StopIteration
        return (np.array([self.i]),)


def generator():
    for i in range(3):
        yield np.array([i]), np.array(i * 0.5)


print("-- sources")
report("list", lambda: rows(source()))
report("zip", lambda: rows(ds.GeneratorDataset(zip([1, 2], [3.0, 4.0]), ["a", "b"], shuffle=False)))
report("random access", lambda: rows(ds.GeneratorDataset(Access(), ["a", "b"], shuffle=False)))
report("iterable", lambda: rows(ds.GeneratorDataset(Iterable(), ["a", "b"])))
report("iterator with next", lambda: rows(ds.GeneratorDataset(IterNext(), ["a"])))
report("generator function", lambda: rows(ds.GeneratorDataset(generator, ["a", "b"])))
report("lambda of a generator", lambda: rows(ds.GeneratorDataset(lambda: iter([(np.array(7),)]), ["a"])))
report("list of arrays, one column", lambda: rows(ds.GeneratorDataset([np.array([1, 2]), np.array([3, 4])], ["a"], shuffle=False)))
report("list of numbers, one column", lambda: rows(ds.GeneratorDataset([1, 2, 3], "a", shuffle=False)))
report("column types", lambda: [v.dtype for v in next(ds.GeneratorDataset(pairs(), ["x", "y"], column_types=[ms.int32, ms.float32], shuffle=False).create_tuple_iterator(num_epochs=1))])
report("num_samples", lambda: rows(source(num_samples=2)))
report("num_samples more", lambda: (rows(source(num_samples=9)), source(num_samples=9).get_dataset_size()))
report("num_parallel_workers", lambda: rows(source(num_parallel_workers=2, python_multiprocessing=False)))
report("shuffled keeps rows", lambda: sorted(rows(ds.GeneratorDataset(pairs(), ["x", "y"], shuffle=True))))
report("sampler sequential", lambda: rows(ds.GeneratorDataset(pairs(), ["x", "y"], sampler=ds.SequentialSampler(1, 3))))
report("sampler subset", lambda: rows(ds.GeneratorDataset(pairs(), ["x", "y"], sampler=ds.SubsetSampler([3, 1]))))
report("sampler list", lambda: rows(ds.GeneratorDataset(pairs(), ["x", "y"], sampler=[3, 1, 1])))
report("sampler random", lambda: sorted(rows(ds.GeneratorDataset(pairs(), ["x", "y"], sampler=ds.RandomSampler()))))
report("sampler random some", lambda: len(rows(ds.GeneratorDataset(pairs(), ["x", "y"], sampler=ds.RandomSampler(num_samples=3)))))
report("sampler subset random", lambda: sorted(rows(ds.GeneratorDataset(pairs(), ["x", "y"], sampler=ds.SubsetRandomSampler([4, 0, 2])))))
report("sampler weighted", lambda: rows(ds.GeneratorDataset(pairs(), ["x", "y"], sampler=ds.WeightedRandomSampler([0, 0, 1.0, 0, 0], 3))))
report("shards", lambda: [rows(source(num_shards=2, shard_id=i)) for i in (0, 1)])
report("sampler distributed", lambda: [rows(ds.GeneratorDataset(pairs(), ["x", "y"], sampler=ds.DistributedSampler(2, i, shuffle=False))) for i in (0, 1)])
report("slices of an array", lambda: dicts(ds.NumpySlicesDataset(np.arange(6).reshape(3, 2), shuffle=False)))
report("slices of a list", lambda: dicts(ds.NumpySlicesDataset([1, 2, 3], "n", shuffle=False)))
report("slices of a tuple", lambda: dicts(ds.NumpySlicesDataset(([1, 2], [3.0, 4.0]), ["a", "b"], shuffle=False)))
report("slices of a tuple unnamed", lambda: dicts(ds.NumpySlicesDataset(([1, 2], [3.0, 4.0]), shuffle=False)))
report("slices of a dict", lambda: dicts(ds.NumpySlicesDataset({"a": [1, 2], "b": [[5], [6]]}, shuffle=False)))
report("slices num_samples", lambda: dicts(ds.NumpySlicesDataset([1, 2, 3], "n", num_samples=2, shuffle=False)))
report("text", lambda: rows(ds.NumpySlicesDataset(["a", "bc"], "t", shuffle=False)))

print("-- stages")
report("batch", lambda: rows(source().batch(2)))
report("batch drop", lambda: (rows(source().batch(2, drop_remainder=True)), source().batch(2, True).get_dataset_size()))
report("batch per_batch_map", lambda: rows(source(4).batch(2, per_batch_map=lambda x, y, info: ([v + info.get_batch_num() for v in x], y), input_columns=["x", "y"])))
report("batch of batch", lambda: rows(source(4).batch(2).batch(2)))
report("padded_batch", lambda: rows(ds.GeneratorDataset([np.array([1]), np.array([2, 3])], "a", shuffle=False).padded_batch(2, pad_info={"a": ([3], -1)})))
report("padded_batch default", lambda: rows(ds.GeneratorDataset([np.array([1]), np.array([2, 3])], "a", shuffle=False).padded_batch(2)))
report("map one", lambda: rows(source(3).map(lambda x: x + 1, "x")))
report("map first column", lambda: rows(source(3).map(lambda x: x + 1)))
report("map list of functions", lambda: rows(source(3).map([lambda x: x + 1, lambda x: x * 2], input_columns=["y"])))
report("map two to one", lambda: dicts(source(3).map(lambda x, y: x + y, ["x", "y"], ["z"])))
report("map one to two", lambda: dicts(source(2).map(lambda x: (x, -x), ["x"], ["p", "n"])))
report("map python number", lambda: rows(source(2).map(lambda x: 3, "x")))
report("map renamed", lambda: source().map(lambda x: x, "x", "z").get_col_names())
report("repeat", lambda: (rows(source(2).repeat(2)), source(2).repeat(2).get_dataset_size()))
report("repeat forever", lambda: (source(2).repeat().get_dataset_size(), [r[0].tolist() for r, _ in zip(source(2).repeat().create_tuple_iterator(num_epochs=1, output_numpy=True), range(5))]))
report("take", lambda: (rows(source().take(2)), source().take(2).get_dataset_size()))
report("take all", lambda: (len(rows(source().take())), source().take(9).get_dataset_size()))
report("skip", lambda: (rows(source().skip(3)), source().skip(3).get_dataset_size()))
report("skip too far", lambda: (rows(source().skip(9)), source().skip(9).get_dataset_size()))
report("filter", lambda: rows(source().filter(lambda x: x % 2 == 0, "x")))
report("filter all columns", lambda: rows(source().filter(lambda x, y: y > 3)))
report("rename", lambda: dicts(source(1).rename("x", "z")))
report("rename several", lambda: source().rename(["x", "y"], ["y", "x"]).get_col_names())
report("project", lambda: dicts(source(2).project("y")))
report("project order", lambda: dicts(source(1).project(["y", "x"])))
report("zip", lambda: dicts(source(2).zip(ds.NumpySlicesDataset([7, 8, 9], "n", shuffle=False))))
report("zip function", lambda: (dicts(ds.zip((source(3), ds.NumpySlicesDataset([7, 8], "n", shuffle=False)))), ds.zip((source(3), ds.NumpySlicesDataset([7, 8], "n", shuffle=False))).get_dataset_size()))
report("concat", lambda: (rows(source(2).concat(source(1))), source(2).concat(source(1)).get_dataset_size()))
report("plus", lambda: rows(source(1) + source(2)))
report("shuffle keeps rows", lambda: sorted(rows(source().shuffle(3))))
report("shuffle size", lambda: source().shuffle(3).get_dataset_size())
report("flat_map", lambda: rows(source(2).flat_map(lambda x, y: source(int(x) + 1))))
report("apply", lambda: rows(source(3).apply(lambda d: d.batch(3))))
report("split sizes", lambda: [part.get_dataset_size() for part in source(10).split([0.7, 0.3])])
report("split rows", lambda: [rows(part) for part in source(4).split([1, 3], randomize=False)])

print("-- what can be asked")
d = source().batch(2)
report("names", lambda: d.get_col_names())
report("shapes", lambda: d.output_shapes())
report("types", lambda: [str(t) for t in d.output_types()])
report("shapes of rows", lambda: ds.GeneratorDataset(Access(), ["a", "b"], shuffle=False).output_shapes())
report("types of rows", lambda: [str(t) for t in ds.GeneratorDataset(Access(), ["a", "b"], shuffle=False).output_types()])
report("batch size", lambda: (d.get_batch_size(), source().get_batch_size(), source().batch(2).repeat(2).get_batch_size()))
report("repeat count", lambda: (source().repeat(3).get_repeat_count(), source().get_repeat_count()))
report("size", lambda: d.get_dataset_size())
report("size of a generator", lambda: ds.GeneratorDataset(generator, ["a", "b"]).get_dataset_size())
report("classes", lambda: source().num_classes())
it = source(2).create_dict_iterator(num_epochs=2)
report("epochs", lambda: [[{k: (type(v).__name__, str(v.dtype), v.shape) for k, v in r.items()} for r in it] for _ in range(2)])
report("an epoch too many", lambda: list(it))
report("columns", lambda: rows(source(2), columns=["y"]))
report("columns turned", lambda: rows(source(2), columns=["y", "x"]))
report("plain loop", lambda: [[type(v).__name__ for v in r] for r in source(1)])
report("types out", lambda: [(type(r).__name__, [str(v.dtype) for v in r]) for r in ds.GeneratorDataset([(1, 2.0, True, np.float16(1), "a")], list("abcde"), shuffle=False)])
report("the same each epoch", lambda: [[r[0].tolist() for r in e] for e in [list(source(2).create_tuple_iterator(num_epochs=1, output_numpy=True)) for _ in range(2)]])

print("-- transforms")
T, V = ds.transforms, ds.vision
report("TypeCast", lambda: rows(source(2).map(T.TypeCast(ms.float16), "x")))
report("OneHot", lambda: rows(source(2).map(T.OneHot(3), "x")))
report("Compose", lambda: rows(source(2).map(T.Compose([T.TypeCast(ms.float32), lambda x: x / 2]), "x")))
image = (np.arange(24).reshape(4, 2, 3) * 10).astype(np.uint8)
report("Rescale", lambda: np.round(V.Rescale(1 / 255.0, -0.5)(image).ravel()[:4], 5).tolist())
report("Normalize", lambda: np.round(V.Normalize([10., 20., 30.], [2., 4., 5.])(image).ravel()[:4], 5).tolist())
report("HWC2CHW", lambda: V.HWC2CHW()(image).shape)
report("ToTensor", lambda: (V.ToTensor()(image).shape, str(V.ToTensor()(image).dtype), np.round(V.ToTensor()(image).ravel()[:3], 5).tolist()))
report("CenterCrop", lambda: V.CenterCrop(2)(image).shape)
report("Pad", lambda: V.Pad(1)(image).shape)
report("HorizontalFlip", lambda: V.HorizontalFlip()(image)[0].tolist())
report("RandomCrop", lambda: V.RandomCrop(2)(image).shape)
report("RandomHorizontalFlip", lambda: V.RandomHorizontalFlip(1.0)(image)[0].tolist())

print("-- mistakes")
report("no columns", lambda: ds.GeneratorDataset(pairs()))
report("wrong number of values", lambda: rows(ds.GeneratorDataset(pairs(), ["x"], shuffle=False)))
report("source int", lambda: ds.GeneratorDataset(3, ["x"]))
report("source dict", lambda: rows(ds.GeneratorDataset({"a": 1}, ["x"])))
report("shuffle of a generator", lambda: rows(ds.GeneratorDataset(generator, ["a", "b"], shuffle=True)))
report("num_samples 0", lambda: source(num_samples=0).get_dataset_size())
report("num_samples str", lambda: source(num_samples="a"))
report("batch 0", lambda: source().batch(0))
report("batch str", lambda: source().batch("2"))
report("shuffle 1", lambda: source().shuffle(1))
report("map not callable", lambda: source().map(3, "x"))
report("map unknown column", lambda: rows(source().map(lambda x: x, "z")))
report("map wrong count", lambda: rows(source().map(lambda x: (x, x), "x")))
report("repeat 0", lambda: source().repeat(0))
report("take 0", lambda: source().take(0))
report("skip -1", lambda: source().skip(-1))
report("rename unknown", lambda: rows(source().rename("z", "a")))
report("project unknown", lambda: rows(source().project("z")))
report("zip same names", lambda: rows(source().zip(source())))
report("concat other columns", lambda: rows(source().concat(source().rename("x", "z"))))
report("two consumers", lambda: (lambda s: (s.batch(2), s.batch(3).get_dataset_size()))(source()))
report("slices unequal", lambda: ds.NumpySlicesDataset(([1, 2], [3.0]), ["a", "b"]))
report("rows of two shapes", lambda: rows(ds.GeneratorDataset([np.ones(1), np.ones(2)], "a", shuffle=False).batch(2)))
report("epochs 0", lambda: source().create_tuple_iterator(num_epochs=0))
report("an error in map", lambda: rows(source().map(lambda x: 1 / 0, "x")))
report("shard too large", lambda: source(num_shards=2, shard_id=2))
report("sampler and shuffle", lambda: source(sampler=ds.SequentialSampler()))
