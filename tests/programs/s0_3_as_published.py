import minigraph as ms
# Source 0, listing 3 (PyNative + @jit), as published. In a graph, MindSpore 2.10 refuses transpose(-2, -1); what it
# printed with swapaxes(-2, -1) is in the .out file.
import numpy as np
nn, ops, context, Tensor = ms.nn, ms.ops, ms.context, ms.Tensor
context.set_context(mode=context.PYNATIVE_MODE, device_target="Ascend", device_id=0)


@ms.jit
def static_attention_compute(q, k, v):
    scale = q.shape[-1] ** -0.5
    attn = (q @ k.transpose(-2, -1)) * scale
    attn = ops.softmax(attn, axis=-1)
    out = attn @ v
    return out


class DebugAttentionBlock(nn.Cell):
    def __init__(self, dim, num_heads):
        super(DebugAttentionBlock, self).__init__()
        self.num_heads = num_heads
        self.head_dim = dim // num_heads
        self.qkv = nn.Dense(dim, dim * 3)
        self.proj = nn.Dense(dim, dim)

    def construct(self, x):
        B, N, C = x.shape
        print(f"Dynamic debug: Input shape {x.shape}")
        qkv = self.qkv(x).reshape(B, N, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        print(f"Dynamic debug: Q shape {q.shape}")
        out = static_attention_compute(q, k, v)
        print(f"Dynamic debug: Attention output shape {out.shape}")
        out = out.transpose(0, 2, 1, 3).reshape(B, N, C)
        out = self.proj(out)
        return out


model = DebugAttentionBlock(dim=256, num_heads=8)
rng = np.random.RandomState(0)
for p in model.trainable_params():
    p.set_data(Tensor((rng.randn(*p.shape) * 0.05).astype(np.float32)))
x = Tensor(np.random.RandomState(1).randn(2, 196, 256).astype(np.float32))
output = model(x)
print(f"Mixed mode output shape: {output.shape}")
g = ms.grad(model)(x)                       # gradient flows through the jitted piece
print("out[0,0,:4]", np.round(output.asnumpy()[0, 0, :4], 4))
print("sum|out| %.2f sum|grad| %.2f" % (np.abs(output.asnumpy()).sum(), np.abs(g.asnumpy()).sum()))
print("Mixed mode test completed!")
