import minigraph as ms
# Source 0, listing 2 (GRAPH_MODE), as published. MindSpore 2.10 refuses nn.Parameter, train.TrainOneStepCell,
# expand(B, -1, -1) and, in a graph, transpose(-2, -1); what it printed with ms.Parameter, nn.TrainOneStepCell,
# broadcast_to((B, -1, -1)) and swapaxes(-2, -1) is in the .out file.
import numpy as np

nn, ops, context, Tensor, train, dataset = ms.nn, ms.ops, ms.context, ms.Tensor, ms.train, ms.dataset
context.set_context(mode=context.GRAPH_MODE, device_target="Ascend", device_id=0)


class PatchEmbed(nn.Cell):
    def __init__(self, img_size=32, patch_size=8, in_chans=3, embed_dim=64):
        super().__init__()
        self.num_patches = (img_size // patch_size) ** 2
        self.proj = nn.Conv2d(in_chans, embed_dim, kernel_size=patch_size, stride=patch_size, pad_mode="valid", has_bias=True)

    def construct(self, x):
        return self.proj(x).flatten(2).permute(0, 2, 1)


class Attention(nn.Cell):
    def __init__(self, dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.scale = (dim // num_heads) ** -0.5
        self.qkv = nn.Dense(dim, dim * 3)
        self.proj = nn.Dense(dim, dim)

    def construct(self, x):
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.num_heads, C // self.num_heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        attn = ops.softmax((q @ k.transpose(-2, -1)) * self.scale, axis=-1)
        return self.proj((attn @ v).transpose(0, 2, 1, 3).reshape(B, N, C))


class Block(nn.Cell):
    def __init__(self, dim, num_heads):
        super().__init__()
        self.norm1 = nn.LayerNorm((dim,))
        self.attn = Attention(dim, num_heads)
        self.norm2 = nn.LayerNorm((dim,))
        self.mlp = nn.SequentialCell(nn.Dense(dim, dim * 2), nn.GELU(), nn.Dense(dim * 2, dim))

    def construct(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class VisionTransformer(nn.Cell):
    def __init__(self, img_size=32, patch_size=8, in_chans=3, num_classes=10, embed_dim=64, depth=2, num_heads=4):
        super().__init__()
        self.patch_embed = PatchEmbed(img_size, patch_size, in_chans, embed_dim)
        self.cls_token = nn.Parameter(ops.zeros((1, 1, embed_dim), ms.float32))
        self.pos_embed = nn.Parameter(ops.zeros((1, self.patch_embed.num_patches + 1, embed_dim), ms.float32))
        self.blocks = nn.SequentialCell([Block(embed_dim, num_heads) for _ in range(depth)])
        self.norm = nn.LayerNorm((embed_dim,))
        self.head = nn.Dense(embed_dim, num_classes)

    def construct(self, x):
        B = x.shape[0]
        x = self.patch_embed(x)
        cls_tokens = self.cls_token.expand(B, -1, -1)
        x = ops.concat((cls_tokens, x), axis=1) + self.pos_embed
        x = self.norm(self.blocks(x))
        return self.head(x[:, 0])


model = VisionTransformer()
rng = np.random.RandomState(0)
for p in model.trainable_params():
    p.set_data(Tensor((rng.randn(*p.shape) * 0.05 + ("gamma" in p.name)).astype(np.float32)))
print(len(model.trainable_params()), [p.name for p in model.trainable_params()][:4])

images = rng.randn(16, 3, 32, 32).astype(np.float32)
labels = (np.arange(16) % 10).astype(np.int32)
data = dataset.GeneratorDataset(zip(images, labels), ["image", "label"], shuffle=False).batch(8)
print("batches", data.get_dataset_size())

loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Adam(model.trainable_params(), learning_rate=1e-3)
train_net = train.TrainOneStepCell(nn.WithLossCell(model, loss_fn), optimizer)
train_net.set_train()
for epoch in range(4):
    for step, (image, label) in enumerate(data.create_tuple_iterator(num_epochs=1)):
        loss = train_net(image, label)
        print(f"Epoch {epoch}, step {step}, loss {loss.asnumpy():.4f}")

logits = model(Tensor(images[:4]))
print("Logits shape:", logits.shape)
print("Logits:", np.round(logits.asnumpy()[0], 3))
