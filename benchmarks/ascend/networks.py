"""Whole networks as graphs, to measure the time of simulating them: the forward passes of ResNet-50 and BERT-base."""

import numpy as np

from minigraph import Tensor, nn, ops, trace

STAGES = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))


class Bottleneck(nn.Cell):
    """1x1, 3x3 and 1x1 convolutions with a residual connection."""

    def __init__(self, inside, width, stride):
        super().__init__()
        self.body = nn.SequentialCell(
            convolution(inside, width, 1), nn.ReLU(), convolution(width, width, 3, stride), nn.ReLU(),
            convolution(width, 4 * width, 1),
        )  # fmt: skip
        self.past = convolution(inside, 4 * width, 1, stride) if inside != 4 * width else nn.Identity()
        self.relu = nn.ReLU()

    def construct(self, x):
        """f32[n,inside,h,w] to f32[n,4*width,h/stride,w/stride]."""
        return self.relu(self.body(x) + self.past(x))


def convolution(inside, outside, kernel, stride=1):
    """A convolution with "same" padding, and batch normalisation."""
    conv = nn.Conv2d(inside, outside, kernel, stride=stride, pad_mode="same", has_bias=False)
    return nn.SequentialCell(conv, nn.BatchNorm2d(outside))


class ResNet50(nn.Cell):
    """The 50 layers for 224 x 224 images."""

    def __init__(self):
        super().__init__()
        blocks, inside = [], 64
        for width, count, stride in STAGES:
            for number in range(count):
                blocks.append(Bottleneck(inside, width, stride if number == 0 else 1))
                inside = 4 * width
        self.stem = nn.SequentialCell(convolution(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, pad_mode="same"))
        self.blocks, self.scores = nn.SequentialCell(*blocks), nn.Dense(inside, 1000)

    def construct(self, images):
        """Class scores f32[n,1000]."""
        return self.scores(ops.mean(self.blocks(self.stem(images)), (2, 3)))


class Encoder(nn.Cell):
    """One layer of BERT: attention, a wide dense layer, a norm after each."""

    def __init__(self, size=768, heads=12):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Dense(size, size) for _ in range(4))
        self.wide, self.back = nn.Dense(size, 4 * size), nn.Dense(4 * size, size)
        self.norm1, self.norm2, self.gelu = nn.LayerNorm((size,)), nn.LayerNorm((size,)), nn.GELU()

    def construct(self, x):
        """f32[n,length,size] to the same."""
        q, k, v = (self._split(dense(x)) for dense in (self.q, self.k, self.v))
        seen = ops.softmax(q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5, -1) @ v
        x = self.norm1(x + self.o(seen.swapaxes(1, 2).reshape(x.shape)))
        return self.norm2(x + self.back(self.gelu(self.wide(x))))

    def _split(self, x):
        n, length, size = x.shape
        return x.reshape((n, length, self.heads, size // self.heads)).swapaxes(1, 2)


def resnet50(images=32):
    """The graph of ResNet-50 in evaluation mode."""
    net = ResNet50()
    net.set_train(False)
    return trace(net, Tensor(np.zeros((images, 3, 224, 224), np.float32)))


def bert_base(sentences=32, length=128):
    """The graph of BERT-base's 12 encoders."""
    net = nn.SequentialCell(*(Encoder() for _ in range(12)))
    net.set_train(False)
    return trace(net, Tensor(np.zeros((sentences, length, 768), np.float32)))


NETWORKS = {"ResNet-50, 32 images": resnet50, "BERT-base, 32 x 128": bert_base}
