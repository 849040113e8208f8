import minigraph as ms
# Source 0, listing 1 (PyNative debugging of an attention block).  Runs as published on MindSpore 2.10 CPU
# (permute() and k.transpose(-2, -1) both work in PyNative); only the weights are made deterministic here.
import numpy as np
nn, ops, context, Tensor = ms.nn, ms.ops, ms.context, ms.Tensor
context.set_context(mode=context.PYNATIVE_MODE, device_target="CPU", device_id=0)


class AttentionBlock(nn.Cell):
    def __init__(self, dim, num_heads):
        super(AttentionBlock, self).__init__()
        self.num_heads = num_heads
        self.head_dim = dim // num_heads
        self.scale = self.head_dim ** -0.5
        self.qkv = nn.Dense(dim, dim * 3)
        self.proj = nn.Dense(dim, dim)

    def construct(self, x):
        B, N, C = x.shape
        print(f"Input shape: {x.shape}")
        qkv = self.qkv(x).reshape(B, N, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        attn = (q @ k.transpose(-2, -1)) * self.scale
        attn = ops.softmax(attn, axis=-1)
        print(f"Attention shape: {attn.shape}")
        out = (attn @ v).transpose(0, 2, 1, 3).reshape(B, N, C)
        out = self.proj(out)
        return out


def fill(net, seed):
    rng = np.random.RandomState(seed)
    for p in net.trainable_params():
        p.set_data(Tensor((rng.randn(*p.shape) * 0.05).astype(np.float32)))


model = AttentionBlock(dim=256, num_heads=8)
fill(model, 0)
x = Tensor(np.random.RandomState(1).randn(2, 196, 256).astype(np.float32))
output = model(x)
print(f"Output shape: {output.shape}")
grad = ops.grad(model, grad_position=0)(x)
print(f"Gradient shape: {grad.shape}")
print("Dynamic graph debugging completed!")
print("names", [p.name for p in model.trainable_params()])
print("out[0,0,:4]", np.round(output.asnumpy()[0, 0, :4], 4))
print("sum|out| %.2f  sum|grad| %.2f" % (np.abs(output.asnumpy()).sum(), np.abs(grad.asnumpy()).sum()))
