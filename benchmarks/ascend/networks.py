"""Whole networks as graphs without data: ResNet-50, BERT-base, and a decode step of a 7B-parameter decoder."""

from minigraph import Tensor, abstract_parameters, nn, ops, trace
from minigraph.core.tensor.abstract import abstract_array
from minigraph.core.types import float16, float32

STAGES = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))


class Bottleneck(nn.Cell):
    """A residual block: 1x1, 3x3 and 1x1 convolutions, and a shortcut."""

    def __init__(self, channels, width, stride):
        super().__init__()
        self.body = nn.SequentialCell(
            convolution(channels, width, 1), nn.ReLU(), convolution(width, width, 3, stride), nn.ReLU(),
            convolution(width, 4 * width, 1),
        )  # fmt: skip
        self.shortcut = convolution(channels, 4 * width, 1, stride) if channels != 4 * width else nn.Identity()
        self.relu = nn.ReLU()

    def construct(self, x):
        """f32[n,channels,h,w] to f32[n,4*width,h/stride,w/stride]."""
        return self.relu(self.body(x) + self.shortcut(x))


def convolution(channels, out_channels, kernel, stride=1):
    """A convolution with "same" padding, and batch normalisation."""
    conv = nn.Conv2d(channels, out_channels, kernel, stride=stride, pad_mode="same", has_bias=False)
    return nn.SequentialCell(conv, nn.BatchNorm2d(out_channels))


class ResNet50(nn.Cell):
    """ResNet-50 for 224 x 224 images."""

    def __init__(self):
        super().__init__()
        blocks, channels = [], 64
        for width, count, stride in STAGES:
            for number in range(count):
                blocks.append(Bottleneck(channels, width, stride if number == 0 else 1))
                channels = 4 * width
        self.stem = nn.SequentialCell(convolution(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, pad_mode="same"))
        self.blocks, self.scores = nn.SequentialCell(*blocks), nn.Dense(channels, 1000)

    def construct(self, images):
        """Class scores f32[n,1000]."""
        return self.scores(ops.mean(self.blocks(self.stem(images)), (2, 3)))


class Encoder(nn.Cell):
    """One encoder layer of BERT: attention and a feed-forward network, each with a residual and a norm."""

    def __init__(self, size=768, heads=12):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Dense(size, size) for _ in range(4))
        self.expand, self.contract = nn.Dense(size, 4 * size), nn.Dense(4 * size, size)
        self.norm1, self.norm2, self.gelu = nn.LayerNorm((size,)), nn.LayerNorm((size,)), nn.GELU()

    def construct(self, x):
        """f32[n,length,size] to the same."""
        q, k, v = (self._split(dense(x)) for dense in (self.q, self.k, self.v))
        attended = ops.softmax(q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5, -1) @ v
        x = self.norm1(x + self.o(attended.swapaxes(1, 2).reshape(x.shape)))
        return self.norm2(x + self.contract(self.gelu(self.expand(x))))

    def _split(self, x):
        n, length, size = x.shape
        return x.reshape((n, length, self.heads, size // self.heads)).swapaxes(1, 2)


class Decoder(nn.Cell):
    """One layer of a Llama decoder that extends cached keys and values by one token."""

    def __init__(self, size=4096, heads=32, inner=11008):
        super().__init__()
        self.heads, self.norms = heads, nn.CellList([nn.RMSNorm((size,), dtype=float16) for _ in range(2)])
        self.q, self.k, self.v, self.o = (half_dense(size, size) for _ in range(4))
        self.gate, self.up, self.down = half_dense(size, inner), half_dense(size, inner), half_dense(inner, size)

    def construct(self, x, keys, values):
        """f16[n,1,size] with a cache f16[n,heads,length,depth] to f16[n,1,size]."""
        normed = self.norms[0](x)
        q, k, v = (self._split(dense(normed)) for dense in (self.q, self.k, self.v))
        keys, values = ops.concat((keys, k), 2), ops.concat((values, v), 2)
        weights = ops.softmax(q @ keys.swapaxes(-1, -2) / q.shape[-1] ** 0.5, -1)
        x = x + self.o((weights @ values).swapaxes(1, 2).reshape(x.shape))
        normed = self.norms[1](x)
        return x + self.down(ops.silu(self.gate(normed)) * self.up(normed))

    def _split(self, x):
        n, length, size = x.shape
        return x.reshape((n, length, self.heads, size // self.heads)).swapaxes(1, 2)


def half_dense(rows, columns):
    """A float16 dense layer without bias."""
    return nn.Dense(rows, columns, has_bias=False, dtype=float16)


def placeholder(*shape, dtype=float32):
    """A tensor of this shape without memory."""
    return Tensor.from_numpy(abstract_array(shape, dtype))


def decode_step(batch=1, length=512, layers=32):
    """The graph of one decode step of a Llama-2-7B: 32 layers of 4096, head depth 128, vocabulary 32000."""
    with abstract_parameters():
        blocks, scores = nn.CellList([Decoder() for _ in range(layers)]), half_dense(4096, 32000)

    def step(x, *cache):
        for block, keys, values in zip(blocks, cache[::2], cache[1::2], strict=True):
            x = block(x, keys, values)
        return scores(x)

    cache = [placeholder(batch, 32, length, 128, dtype=float16) for _ in range(2 * layers)]
    return trace(step, placeholder(batch, 1, 4096, dtype=float16), *cache)


def resnet50(images=32):
    """The graph of ResNet-50, inference."""
    with abstract_parameters():
        net = ResNet50()
    net.set_train(False)
    return trace(net, placeholder(images, 3, 224, 224))


def bert_base(sentences=32, length=128):
    """The graph of the 12 encoder layers of BERT-base."""
    with abstract_parameters():
        net = nn.SequentialCell(*(Encoder() for _ in range(12)))
    net.set_train(False)
    return trace(net, placeholder(sentences, length, 768))


NETWORKS = {"ResNet-50, 32 images": resnet50, "BERT-base, 32 x 128": bert_base, "7B decode step": decode_step}
