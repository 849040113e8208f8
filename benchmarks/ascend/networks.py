"""Whole networks as graphs without data, in float16 as they are deployed.

ResNet with its batch norms folded into the convolutions, BERT with its question-answering head, GPT-2 with its
language-model head, and a Llama decoder that reads a prompt (prefill) or extends a cache by one token (decode).
"""

from functools import cache

from minigraph import Graph, Parameter, Tensor, abstract_parameters, nn, ops, trace, value_and_grad
from minigraph.core.op import apply
from minigraph.core.tensor.abstract import abstract_array
from minigraph.core.types import float16, float32, int32

STAGE_WIDTHS = (64, 128, 256, 512)  # channels inside of the blocks of each stage
STAGE_BLOCKS = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3)}  # by the number of layers


class Bottleneck(nn.Cell):
    """A residual block: 1x1, 3x3 and 1x1 convolutions, and a shortcut."""

    def __init__(self, channels, width, stride, convolution):
        super().__init__()
        self.body = nn.SequentialCell(
            convolution(channels, width, 1, stride), nn.ReLU(), convolution(width, width, 3), nn.ReLU(),
            convolution(width, 4 * width, 1),
        )  # fmt: skip
        self.shortcut = convolution(channels, 4 * width, 1, stride) if channels != 4 * width else nn.Identity()
        self.relu = nn.ReLU()

    def construct(self, x):
        """f16[n,channels,h,w] to f16[n,4*width,h/stride,w/stride]."""
        shortcut = self.shortcut(x)
        return self.relu(self.body(x) + shortcut)


def convolution(channels, out_channels, kernel, stride=1):
    """A convolution with "same" padding and a bias, into which the batch norm is folded."""
    options = {"pad_mode": "same", "has_bias": True, "dtype": float16}
    return nn.Conv2d(channels, out_channels, kernel, stride=stride, **options)


class NormalizedConvolution(nn.Cell):
    """A convolution and a batch norm, for training; its moving averages, which are small, are left out."""

    def __init__(self, channels, out_channels, kernel, stride=1):
        super().__init__()
        options = {"pad_mode": "same", "has_bias": False, "dtype": float16}
        self.conv = nn.Conv2d(channels, out_channels, kernel, stride=stride, **options)
        self.gamma, self.beta = (Parameter(ops.ones((out_channels, 1, 1), float16)) for _ in range(2))

    def construct(self, x):
        """f16[n,channels,h,w] to f16[n,out_channels,h/stride,w/stride]."""
        return apply("normalize", self.conv(x), axis=(0, 2, 3), eps=1e-5) * self.gamma + self.beta


class ResNet(nn.Cell):
    """ResNet-50 or -101 (v1) for 224 x 224 images."""

    def __init__(self, layers=50, convolution=convolution):
        super().__init__()
        blocks, channels = [], 64
        for stage, (width, count) in enumerate(zip(STAGE_WIDTHS, STAGE_BLOCKS[layers], strict=True)):
            for number in range(count):
                blocks.append(Bottleneck(channels, width, 2 if stage and number == 0 else 1, convolution))
                channels = 4 * width
        self.stem = nn.SequentialCell(convolution(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, pad_mode="same"))
        self.blocks, self.scores = nn.SequentialCell(*blocks), nn.Dense(channels, 1000, dtype=float16)

    def construct(self, images):
        """Class scores f16[n,1000]."""
        return self.scores(ops.mean(self.blocks(self.stem(images)), (2, 3)))


class Encoder(nn.Cell):
    """One encoder layer of BERT, or with ``norm_first`` one of GPT-2: attention and a feed-forward network."""

    def __init__(self, size=768, heads=12, norm_first=False):
        super().__init__()
        self.heads, self.norm_first = heads, norm_first
        self.q, self.k, self.v, self.o = (nn.Dense(size, size, dtype=float16) for _ in range(4))
        self.expand, self.contract = nn.Dense(size, 4 * size, dtype=float16), nn.Dense(4 * size, size, dtype=float16)
        self.norm1, self.norm2 = (nn.LayerNorm((size,), dtype=float16) for _ in range(2))
        self.gelu = nn.GELU()

    def construct(self, x):
        """f16[n,length,size] to the same."""
        if self.norm_first:
            x = x + self._attention(self.norm1(x))
            return x + self.contract(self.gelu(self.expand(self.norm2(x))))
        x = self.norm1(x + self._attention(x))
        return self.norm2(x + self.contract(self.gelu(self.expand(x))))

    def _attention(self, x):
        q, k, v = (_split_heads(dense(x), self.heads) for dense in (self.q, self.k, self.v))
        attended = ops.softmax(q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5, -1) @ v
        return self.o(attended.swapaxes(1, 2).reshape(x.shape))


def _split_heads(x, heads):
    n, length, size = x.shape
    return x.reshape((n, length, heads, size // heads)).swapaxes(1, 2)


class Transformer(nn.Cell):
    """An embedding, encoder layers and a linear head: a BERT or GPT-2."""

    def __init__(self, vocabulary_size, outputs, layers=12, size=768, heads=12, norm_first=False):
        super().__init__()
        self.table = nn.Embedding(vocabulary_size, size, dtype=float16)
        self.layers = nn.SequentialCell(*(Encoder(size, heads, norm_first) for _ in range(layers)))
        self.scores = nn.Dense(size, outputs, has_bias=False, dtype=float16)

    def construct(self, tokens):
        """Tokens i32[n,length] to f16[n,length,outputs]."""
        return self.scores(self.layers(self.table(tokens)))


class Decoder(nn.Cell):
    """One layer of a Llama decoder, which reads a prompt, or extends cached keys and values by one token."""

    def __init__(self, size=4096, heads=32, inner=11008):
        super().__init__()
        self.heads, self.norms = heads, nn.CellList([nn.RMSNorm((size,), dtype=float16) for _ in range(2)])
        self.q, self.k, self.v, self.o = (half_dense(size, size) for _ in range(4))
        self.gate, self.up, self.down = half_dense(size, inner), half_dense(size, inner), half_dense(inner, size)

    def construct(self, x, *cache):
        """f16[n,length,size], and with keys and values of earlier tokens f16[n,heads,length,depth], to the same."""
        normed = self.norms[0](x)
        q, k, v = (_split_heads(dense(normed), self.heads) for dense in (self.q, self.k, self.v))
        keys, values = (ops.concat(pair, 2) for pair in zip(cache, (k, v), strict=True)) if cache else (k, v)
        weights = ops.softmax(q @ keys.swapaxes(-1, -2) / q.shape[-1] ** 0.5, -1)
        x = x + self.o((weights @ values).swapaxes(1, 2).reshape(x.shape))
        normed = self.norms[1](x)
        return x + self.down(ops.silu(self.gate(normed)) * self.up(normed))


def half_dense(rows, columns):
    """A float16 dense layer without bias."""
    return nn.Dense(rows, columns, has_bias=False, dtype=float16)


def placeholder(*shape, dtype=float32):
    """A tensor of this shape without memory."""
    return Tensor.from_numpy(abstract_array(shape, dtype))


# ---- graphs ------------------------------------------------------------------------------------------


@cache
def resnet(layers=50, images=32) -> Graph:
    """The graph of ResNet-50 or -101, inference."""
    with abstract_parameters():
        net = ResNet(layers)
    net.set_train(False)
    return trace(net, placeholder(images, 3, 224, 224, dtype=float16))


@cache
def bert_base(sentences=32, length=128) -> Graph:
    """The graph of BERT-base with two logits per token."""
    return _transformer_graph(sentences, length, 30522, 2)


@cache
def gpt2(sentences=1, length=512, vocabulary_size=21128) -> Graph:
    """The graph of GPT-2 (12 layers of 768) with the logits of each token."""
    return _transformer_graph(sentences, length, vocabulary_size, vocabulary_size, norm_first=True)


def _transformer_graph(sentences, length, vocabulary_size, outputs, **options) -> Graph:
    with abstract_parameters():
        net = Transformer(vocabulary_size, outputs, **options)
    net.set_train(False)
    return trace(net, placeholder(sentences, length, dtype=int32))


@cache
def decode_step(batch=1, length=512, layers=32) -> Graph:
    """The graph of one decode step of a Llama-2-7B: 32 layers of 4096, head dimension 128, vocabulary of 32000."""
    with abstract_parameters():
        blocks, scores = nn.CellList([Decoder() for _ in range(layers)]), half_dense(4096, 32000)

    def step(x, *cache):
        for block, keys, values in zip(blocks, cache[::2], cache[1::2], strict=True):
            x = block(x, keys, values)
        return scores(x)

    cache = [placeholder(batch, 32, length, 128, dtype=float16) for _ in range(2 * layers)]
    return trace(step, placeholder(batch, 1, 4096, dtype=float16), *cache)


@cache
def prefill(batch=1, length=512, layers=32) -> Graph:
    """The graph of a Llama-2-7B that reads prompts, with the logits of the next token of each."""
    with abstract_parameters():
        blocks, scores = nn.SequentialCell(*(Decoder() for _ in range(layers))), half_dense(4096, 32000)
    return trace(lambda x: scores(blocks(x)[:, -1]), placeholder(batch, length, 4096, dtype=float16))


def resnet_step(images=32) -> Graph:
    """The graph of the gradients of ResNet-50 with batch norms, without its optimizer."""
    with abstract_parameters():
        net = ResNet(50, NormalizedConvolution)
    return _gradient_graph(net, placeholder(images, 3, 224, 224, dtype=float16))


def bert_large_step(sentences=96, length=128) -> Graph:
    """The graph of the gradients of BERT-Large's 24 encoder layers, without heads and optimizer."""
    with abstract_parameters():
        net = nn.SequentialCell(*(Encoder(1024, 16) for _ in range(24)))
    return _gradient_graph(net, placeholder(sentences, length, 1024, dtype=float16))


def _gradient_graph(net, x) -> Graph:
    net.set_train(True)
    return trace(value_and_grad(lambda x: ops.mean(net(x)), None, net.trainable_params()), x)


NETWORKS = {"ResNet-50, 32 images": resnet, "BERT-base, 32 x 128": bert_base, "7B decode step": decode_step}
