import minigraph as ms
# Datasets of every kind of source, their operations, samplers and iterators.
import numpy as np
from parts import part, show
from minigraph import dataset as ds
from minigraph.dataset import (BatchInfo, DistributedSampler, GeneratorDataset, NumpySlicesDataset, PKSampler, RandomSampler,
                               SequentialSampler, SubsetRandomSampler, SubsetSampler, WeightedRandomSampler)

ms.set_seed(1)
ds.config.set_seed(58)


class RandomAccessDataset:
    def __init__(self):
        self._data = np.arange(10).reshape(5, 2).astype(np.float32)
        self._label = np.arange(5).reshape(5, 1).astype(np.int32)

    def __getitem__(self, index):
        return self._data[index], self._label[index]

    def __len__(self):
        return len(self._data)


class IterableDataset:
    def __init__(self, start, end):
        self.start, self.end = start, end

    def __next__(self):
        return next(self.data)

    def __iter__(self):
        self.data = iter(range(self.start, self.end))
        return self


def my_generator(start, end):
    for i in range(start, end):
        yield i


def rows(dataset):
    return [tuple(np.asarray(c).tolist() for c in row) for row in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)]


@part
def sources():
    loader = RandomAccessDataset()
    dataset = GeneratorDataset(source=loader, column_names=["data", "label"], shuffle=False)
    for data in dataset:
        print(data)
        break
    dataset = GeneratorDataset(source=[[np.array(0)], [np.array(1)], [np.array(2)]], column_names=["col"], shuffle=False)
    for data in dataset:
        print(data)
    dataset = GeneratorDataset(source=IterableDataset(1, 4), column_names=["data"])
    for d in dataset:
        print(d)
    dataset = GeneratorDataset(source=lambda: my_generator(3, 6), column_names=["data"])
    for d in dataset:
        print(d)
    print(rows(NumpySlicesDataset([1, 2, 3], column_names=["x"], shuffle=False)))
    print(rows(NumpySlicesDataset({"a": [1, 2], "b": [[3], [4]]}, shuffle=False)))
    print(rows(NumpySlicesDataset(([1, 2], [[5, 6], [7, 8]]), ["c", "d"], shuffle=False)))
    dataset = NumpySlicesDataset(dict(x=np.arange(3), y=np.ones(3, np.float32)), shuffle=False)
    for item in dataset.create_dict_iterator():
        print(item)


@part
def operations():
    def d():
        return NumpySlicesDataset(np.arange(10), ["x"], shuffle=False)

    def two():
        return d().map(lambda x: (x, x * x), input_columns=["x"], output_columns=["x", "square"])

    def e():
        return NumpySlicesDataset(np.arange(10, 13), ["y"], shuffle=False)

    print(rows(d().batch(4)), rows(d().batch(4, drop_remainder=True)))
    print(rows(d().take(3).repeat(2)), rows(d().skip(8)), rows(d().filter(lambda x: x % 3 == 0, input_columns=["x"])))
    print(rows(d().map(lambda x: x * 2).take(2)), rows(d().map([lambda x: x + 1, lambda x: x * 10], ["x"]).take(2)))
    print(two().get_col_names(), rows(two().take(2)), rows(two().project(["square"]).take(3)))
    print(two().rename("square", "sq").get_col_names(), two().project("x").get_col_names())
    print(rows(ds.zip((d(), e()))), rows(d().zip(e())))
    print(rows(e() + NumpySlicesDataset(np.arange(2), ["y"], shuffle=False)), rows(e().concat(NumpySlicesDataset([7], ["y"]))))
    a, b = d().split([0.7, 0.3], randomize=False)
    print(rows(a), rows(b), a.get_dataset_size())
    print(d().get_dataset_size(), d().batch(3).get_dataset_size(), d().repeat(3).get_dataset_size(), d().get_repeat_count())
    print(sorted(r[0] for r in rows(d().shuffle(buffer_size=10))))
    print(rows(d().batch(5, per_batch_map=lambda x, info: ([v * 2 for v in x],))))
    print(rows(d().batch(5, per_batch_map=lambda x, info: (np.stack(x) + info.get_batch_num(),), input_columns=["x"])))
    print(rows(d().batch(lambda info: info.get_batch_num() + 1)))
    flat = NumpySlicesDataset([[1, 2], [3, 4]], ["x"], shuffle=False)
    print(rows(flat.map(lambda x: x[0], ["x"])))
    print(rows(d().flat_map(lambda x: NumpySlicesDataset([x, x], ["z"], shuffle=False)).take(3)))
    print(d().apply(lambda s: s.batch(5)).get_dataset_size(), d().output_shapes(), d().batch(2).output_types())


@part
def padded():
    def d():
        return GeneratorDataset(lambda: ((np.arange(n),) for n in (1, 3, 2)), ["x"])

    print(rows(d().padded_batch(3, pad_info={"x": ([4], -1)})))
    print(rows(d().padded_batch(2, drop_remainder=True, pad_info={})))
    buckets = GeneratorDataset(lambda: ((np.arange(n),) for n in (1, 3, 2, 5, 1, 4)), ["x"])
    print(rows(buckets.bucket_batch_by_length(["x"], [3], [2, 1], pad_info={"x": ([None], 0)})))
    p = ds.PaddedDataset([{"x": np.array(1)}, {"x": np.array(2)}])
    print(p.get_dataset_size(), sorted(r[0] for r in rows(p)))


@part
def samplers():
    def of(sampler, **more):
        return [int(r[0]) for r in rows(NumpySlicesDataset(np.arange(6), ["x"], sampler=sampler, **more))]

    print(of(SequentialSampler()), of(SequentialSampler(2, 3)), of(SubsetSampler([3, 1])), of(ds.SubsetSampler([5], 1)))
    print(sorted(of(RandomSampler())), len(of(RandomSampler(replacement=True, num_samples=4))))
    print(sorted(of(SubsetRandomSampler([0, 4]))), set(of(WeightedRandomSampler([0, 1, 0, 0, 1, 0], 5))) <= {1, 4})
    print(of(DistributedSampler(2, 0, shuffle=False)), of(DistributedSampler(2, 1, shuffle=False)), of(DistributedSampler(4, 3, shuffle=False)))

    class Mine(ds.Sampler):
        def __iter__(self):
            yield from (4, 2, 0)

    print(of(Mine()))
    child = SequentialSampler(1, 4)
    outer = SubsetSampler([1, 0])
    outer.add_child(child)
    print(of(outer), outer.get_num_samples(), child.get_num_samples())
    print([int(r[0]) for r in rows(GeneratorDataset(RandomAccessDataset(), ["d", "l"], sampler=SubsetSampler([2, 0])).project("l").map(lambda x: x[0]))])
    print([int(r[0]) for r in rows(NumpySlicesDataset(np.arange(6), ["x"], num_shards=2, shard_id=1, shuffle=False))])
    print([int(r[0]) for r in rows(NumpySlicesDataset(np.arange(6), ["x"], num_samples=2, shuffle=False))])


@part
def iterators():
    d = NumpySlicesDataset({"x": [1., 2.], "y": [3, 4]}, shuffle=False)
    it = d.create_dict_iterator(num_epochs=2, output_numpy=True)
    for epoch in range(2):
        print(epoch, [sorted(row.items()) for row in it])
    print(next(d.create_tuple_iterator()))
    print([x.dtype for x in next(iter(d))], len(list(d)))
    print(next(d.create_dict_iterator())["x"])
    print([show(x) for x in next(d.create_tuple_iterator(columns=["y"]))] if False else "")
    schema = ds.Schema()
    schema.add_column("image", de_type=ms.uint8, shape=[2])
    schema.add_column("label", ms.int32)
    print(type(schema).__name__)


@part
def settings():
    ds.config.set_num_parallel_workers(2)
    ds.config.set_prefetch_size(4)
    ds.config.set_monitor_sampling_interval(100)
    print(ds.config.get_num_parallel_workers(), ds.config.get_prefetch_size(), ds.config.get_seed(), ds.config.get_monitor_sampling_interval())
    print(ds.config.get_auto_num_workers(), ds.config.get_enable_shared_mem(), ds.config.get_callback_timeout())


@part
def callbacks():
    class Mine(ds.DSCallback):
        def ds_begin(self, run_context):
            print("begin", run_context.cur_epoch_num)

        def ds_epoch_begin(self, run_context):
            print("epoch", run_context.cur_epoch_num)

        def ds_step_end(self, run_context):
            print("step", run_context.cur_step_num)

    d = GeneratorDataset([[1], [2]], ["x"], shuffle=False).map(lambda x: x, callbacks=[Mine()], num_parallel_workers=1)
    print([r for r in rows(d)])


@part
def mistakes():
    for wrong in (lambda: NumpySlicesDataset([1, 2]).batch(0), lambda: NumpySlicesDataset([1]).repeat(0), lambda: NumpySlicesDataset([1]).take(0),
                  lambda: NumpySlicesDataset([1]).skip(-1), lambda: NumpySlicesDataset([1]).shuffle(0), lambda: GeneratorDataset([1], 3),
                  lambda: NumpySlicesDataset([1]).split([2.0, -1]), lambda: SubsetSampler("a"), lambda: NumpySlicesDataset([1, 2], ["x", "y"])):
        try:
            wrong()
            print("accepted")
        except Exception as e:
            print(type(e).__name__)
