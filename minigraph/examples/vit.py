"""A Vision Transformer that classifies handwritten digits (Dosovitskiy et al. 2021, arXiv 2010.11929).

An ordinary MindSpore program (import line changed): a convolution embeds the patches of the image, a learned class
token is prepended, encoder layers apply self-attention, and a dense layer maps the class token to class scores.

``python -m minigraph.examples.vit`` trains it; ``minigraph explain minigraph/examples/vit.py:train_step`` explains it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

import minigraph as ms
from minigraph import Parameter, Tensor, nn, ops
from minigraph.dataset import Dataset, GeneratorDataset, load_digits

IMAGE_SIDE = 8  # pixels of a digit
BATCH = 64
EPOCHS = 20


class PatchEmbedding(nn.Cell):
    """Embeds non-overlapping patches of ``patch_size`` pixels by one strided convolution."""

    def __init__(self, channels: int, patch_size: int, width: int) -> None:
        super().__init__()
        self.project = nn.Conv2d(channels, width, patch_size, stride=patch_size, pad_mode="valid", has_bias=True)

    def construct(self, images: Tensor) -> Tensor:
        """Images f32[n,channels,h,w] to tokens f32[n,patches,width], row by row."""
        return self.project(images).flatten(2).swapaxes(1, 2)


class VisionTransformer(nn.Cell):
    """Class scores of square images; ``heads`` must divide ``width``, and ``patch_size`` the ``image_size``."""

    def __init__(
        self,
        image_size: int = IMAGE_SIDE,
        patch_size: int = 2,
        channels: int = 1,
        width: int = 32,
        depth: int = 2,
        heads: int = 4,
        classes: int = 10,
    ) -> None:
        super().__init__()
        patches = (image_size // patch_size) ** 2
        self.embedding = PatchEmbedding(channels, patch_size, width)
        self.cls_token = Parameter(ops.zeros((1, 1, width)), name="cls_token")
        self.position = Parameter(ops.randn(1, 1 + patches, width) * 0.02, name="position")
        layers = [
            nn.TransformerEncoderLayer(
                width, heads, 2 * width, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
            )
            for _ in range(depth)
        ]
        self.encoder = nn.SequentialCell(layers)
        self.norm = nn.LayerNorm((width,))
        self.scores = nn.Dense(width, classes)

    def construct(self, images: Tensor) -> Tensor:
        """Class scores f32[n,classes] of images f32[n,channels,image_size,image_size]."""
        tokens = self.embedding(images)
        token = self.cls_token.broadcast_to((images.shape[0], -1, -1))
        x = ops.concat((token, tokens), axis=1) + self.position
        x = self.norm(self.encoder(x))
        return self.scores(x[:, 0])


training, held_out = load_digits().split()
ms.set_seed(0)
net = VisionTransformer()
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(net.trainable_params(), learning_rate=3e-3)


def forward(images: Tensor, labels: Tensor) -> Tensor:
    """The loss of one batch."""
    return loss_fn(net(images), labels)


gradient = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def train_step(images: Tensor, labels: Tensor) -> Tensor:
    """One update; returns the loss before it."""
    loss, grads = gradient(images, labels)
    optimizer(grads)
    return loss


def pictures(images: np.ndarray) -> np.ndarray:
    """Rows of 64 pixels as images f32[n,1,8,8]."""
    return images.reshape(-1, 1, IMAGE_SIDE, IMAGE_SIDE)


def batches() -> Dataset:
    """The training set in batches, reshuffled each epoch."""
    rows = zip(pictures(training.images), training.labels, strict=True)
    return GeneratorDataset(rows, ["image", "label"]).batch(BATCH, drop_remainder=True)


def example_inputs() -> tuple[Tensor, Tensor]:
    """One batch, for ``minigraph explain`` and ``train_step.graph(*example_inputs())``."""
    images, labels = next(iter(batches()))
    return images, labels


def train(epochs: int = EPOCHS) -> Iterator[tuple[int, float]]:
    """Train, yielding (epoch, mean loss of the epoch) as it goes."""
    data = batches().create_tuple_iterator(num_epochs=epochs)
    net.set_train()
    for epoch in range(epochs):
        yield epoch, float(np.mean([train_step(images, labels).item() for images, labels in data]))


def accuracy() -> float:
    """The accuracy on the held-out digits."""
    scores = net.set_train(False)(Tensor(pictures(held_out.images)))
    return float(np.mean(scores.asnumpy().argmax(axis=1) == held_out.labels))


def main(epochs: int = EPOCHS) -> None:
    """Train; print the loss of every epoch, and the accuracy at the end."""
    for epoch, loss in train(epochs):
        print(f"epoch {epoch + 1:2}: loss {loss:.4f}")
    print(f"Accuracy on {len(held_out.labels)} held-out digits: {accuracy():.1%}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m minigraph.examples.vit", description=main.__doc__)
    parser.add_argument("--epochs", type=int, default=EPOCHS, help="(default: %(default)s)")
    main(parser.parse_args().epochs)
