import minigraph as ms
# Applications with pictures: LeNet, ResNet, ShuffleNet, adversarial examples, generative networks, detection, diffusion.
import math
import numpy as np
from parts import fill, part, rng, show
from minigraph import Parameter, Tensor, nn, ops, dtype as mstype
from minigraph.common.initializer import HeNormal, Normal, TruncatedNormal, XavierUniform, initializer


def random(*shape):
    return Tensor(rng.randn(*shape).astype(np.float32))


def train(net, loss_fn, opt, x, y, n=2):
    def forward(x, y):
        out = net(x)
        return loss_fn(out, y), out

    grad_fn = ms.value_and_grad(forward, None, opt.parameters, has_aux=True)
    net.set_train()
    losses = []
    for _ in range(n):
        (loss, _), grads = grad_fn(x, y)
        opt(grads)
        losses.append(round(float(loss.asnumpy()), 3))
    net.set_train(False)
    return losses


@part
def lenet():
    class LeNet5(nn.Cell):
        def __init__(self, num_class=10, num_channel=1):
            super().__init__()
            self.conv1 = nn.Conv2d(num_channel, 6, 5, pad_mode="valid")
            self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
            self.fc1 = nn.Dense(16 * 5 * 5, 120, weight_init=Normal(0.02))
            self.fc2 = nn.Dense(120, 84, weight_init=Normal(0.02))
            self.fc3 = nn.Dense(84, num_class, weight_init=Normal(0.02))
            self.relu = nn.ReLU()
            self.max_pool2d = nn.MaxPool2d(kernel_size=2, stride=2)
            self.flatten = nn.Flatten()

        def construct(self, x):
            x = self.max_pool2d(self.relu(self.conv1(x)))
            x = self.max_pool2d(self.relu(self.conv2(x)))
            x = self.flatten(x)
            x = self.relu(self.fc1(x))
            x = self.relu(self.fc2(x))
            return self.fc3(x)

    net = fill(LeNet5(), 1, 0.1)
    x, y = random(8, 1, 32, 32), Tensor(rng.randint(0, 10, 8).astype(np.int32))
    print(show(net(x)), train(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"), nn.Momentum(net.trainable_params(), 0.01, 0.9), x, y))

    def forward(x, y):
        return nn.CrossEntropyLoss()(net(x), y)

    gradient = ms.grad(forward)(x, y)
    attacked = ops.clip_by_value(x + 0.1 * ops.sign(gradient), -3, 3) if True else x
    print(show(ops.sign(gradient)), show(attacked), show(net(attacked)), net(attacked).argmax(1).dtype)


class ResidualBlockBase(nn.Cell):
    expansion = 1

    def __init__(self, in_channel, out_channel, stride=1, norm=None, down_sample=None):
        super().__init__()
        self.norm = norm if norm else nn.BatchNorm2d(out_channel)
        self.conv1 = nn.Conv2d(in_channel, out_channel, kernel_size=3, stride=stride, weight_init=Normal(mean=0, sigma=0.02))
        self.conv2 = nn.Conv2d(in_channel if stride == 1 else out_channel, out_channel, kernel_size=3, weight_init=Normal(0.02))
        self.relu = nn.ReLU()
        self.down_sample = down_sample

    def construct(self, x):
        identity = x
        out = self.relu(self.norm(self.conv1(x)))
        out = self.norm(self.conv2(out))
        if self.down_sample is not None:
            identity = self.down_sample(x)
        out += identity
        return self.relu(out)


class ResNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, kernel_size=7, stride=2, weight_init=Normal(0.02))
        self.norm = nn.BatchNorm2d(8, gamma_init=Normal(1.0, 0.02))
        self.relu = nn.ReLU()
        self.max_pool = nn.MaxPool2d(kernel_size=3, stride=2, pad_mode="same")
        down = nn.SequentialCell([nn.Conv2d(8, 16, kernel_size=1, stride=2, weight_init=Normal(0.02)), nn.BatchNorm2d(16)])
        self.layer1 = nn.SequentialCell([ResidualBlockBase(8, 8), ResidualBlockBase(8, 8)])
        self.layer2 = nn.SequentialCell([ResidualBlockBase(8, 16, 2, down_sample=down)])
        self.avg_pool = nn.AvgPool2d()
        self.flatten = nn.Flatten()
        self.fc = nn.Dense(in_channels=16 * 16, out_channels=10)

    def construct(self, x):
        x = self.max_pool(self.relu(self.norm(self.conv1(x))))
        x = self.layer2(self.layer1(x))
        return self.fc(self.flatten(self.avg_pool(x)))


@part
def resnet():
    net = fill(ResNet(), 3, 0.1)
    x, y = random(4, 3, 32, 32), Tensor(rng.randint(0, 10, 4).astype(np.int32))
    print(show(net(x)), [p.name for p in net.trainable_params()][:5], len(list(net.get_parameters())))
    print(train(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"), nn.Momentum(net.trainable_params(), 0.05, 0.9), x, y), show(net.norm.moving_mean.value()))
    net.fc = fill(nn.Dense(256, 2), 4, 0.1)
    for p in net.get_parameters():
        if p.name not in ("fc.weight", "fc.bias"):
            p.requires_grad = False
    print(show(net(x)), [p.name for p in net.trainable_params()])


@part
def shufflenet():
    class GroupConv(nn.Cell):
        def __init__(self, channels, out, k, groups):
            super().__init__()
            self.groups = groups
            self.convs = nn.CellList([nn.Conv2d(channels // groups, out // groups, k, pad_mode="pad", padding=k // 2) for _ in range(groups)])

        def construct(self, x):
            features = ops.split(x, split_size_or_sections=int(x.shape[1] // self.groups), axis=1)
            outputs = ()
            for i in range(self.groups):
                outputs = outputs + (self.convs[i](features[i].astype("float32")),)
            return ops.cat(outputs, axis=1)

    class Block(nn.Cell):
        def __init__(self):
            super().__init__()
            self.group_conv = GroupConv(8, 8, 1, 2)
            self.depth = nn.Conv2d(8, 8, 3, pad_mode="pad", padding=1, group=8)
            self.bn = nn.BatchNorm2d(8)
            self.add = ops.Add()

        def channel_shuffle(self, x):
            batchsize, channels, h, w = ops.shape(x)
            x = ops.reshape(x, (batchsize, channels // 2, 2, h, w))
            x = ops.transpose(x, (0, 2, 1, 3, 4))
            return ops.reshape(x, (batchsize, channels, h, w))

        def construct(self, x):
            y = ops.relu(self.bn(self.group_conv(x)))
            y = self.depth(self.channel_shuffle(y))
            return ops.mean(ops.relu(self.add(x, y)), (2, 3), keep_dims=False)

    net = fill(Block(), 5)
    x = random(2, 8, 6, 6)
    print(show(net(x)), show(ms.grad(net)(x)), show(nn.ChannelShuffle(2)(x)), show(ops.max_pool2d(x, 2)), show(ops.avg_pool2d(x, 3, 1)), show(ops.dropout(x, 0.5, training=False)))


@part
def gans():
    class Generator(nn.Cell):
        def __init__(self):
            super().__init__()
            self.generator = nn.SequentialCell(
                nn.Conv2dTranspose(10, 8, 4, 1, "valid"), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2dTranspose(8, 4, 4, 2, "pad", 1), nn.BatchNorm2d(4), nn.ReLU(), nn.Conv2dTranspose(4, 3, 4, 2, "pad", 1), nn.Tanh())

        def construct(self, x):
            return self.generator(x)

    class Discriminator(nn.Cell):
        def __init__(self):
            super().__init__()
            self.discriminator = nn.SequentialCell(nn.Conv2d(3, 4, 4, 2, "pad", 1), nn.LeakyReLU(0.2), nn.Conv2d(4, 8, 4, 2, "pad", 1), nn.BatchNorm2d(8), nn.LeakyReLU(0.2), nn.Conv2d(8, 1, 4, 1, "valid"))
            self.adv_layer = nn.Sigmoid()

        def construct(self, x):
            out = self.discriminator(x)
            return self.adv_layer(out.reshape(out.shape[0], -1))

    g, d = fill(Generator(), 1, 0.2), fill(Discriminator(), 2, 0.2)
    adversarial_loss = nn.BCELoss(reduction="mean")
    opt_d, opt_g = nn.Adam(d.trainable_params(), learning_rate=0.002, beta1=0.5), nn.Adam(g.trainable_params(), learning_rate=0.002, beta1=0.5)
    opt_g.update_parameters_name("optim_g.")
    opt_d.update_parameters_name("optim_d.")
    noise = random(4, 10, 1, 1)

    def generator_forward(real, valid):
        fake = g(noise)
        return adversarial_loss(d(fake), valid), fake

    def discriminator_forward(real, fake, valid, zeros):
        return (adversarial_loss(d(real), valid) + adversarial_loss(d(fake), zeros)) / 2

    grad_g = ms.value_and_grad(generator_forward, None, opt_g.parameters, has_aux=True)
    grad_d = ms.value_and_grad(discriminator_forward, None, opt_d.parameters)

    def step(imgs):
        valid, zeros = ops.ones((imgs.shape[0], 1), mstype.float32), ops.zeros((imgs.shape[0], 1), mstype.float32)
        (g_loss, fake), g_grads = grad_g(imgs, valid)
        opt_g(g_grads)
        d_loss, d_grads = grad_d(imgs, fake, valid, zeros)
        opt_d(d_grads)
        return g_loss, d_loss, fake

    for _ in range(2):
        print(show(step(random(4, 3, 16, 16))))
    print([p.name for p in opt_g.get_parameters()][:4], show(ops.transpose(g(noise), (0, 2, 3, 1))))


@part
def pix2pix():
    class Skip(nn.Cell):
        def __init__(self, outer, inner, submodule=None, outermost=False):
            super().__init__()
            down = nn.SequentialCell([nn.LeakyReLU(0.2), nn.Conv2d(outer, inner, 4, 2, padding=1, pad_mode="pad"), nn.BatchNorm2d(inner)])
            up = [nn.ReLU(), nn.Conv2dTranspose(inner * (1 if submodule is None else 2), outer, 4, 2, padding=1, pad_mode="pad"), nn.BatchNorm2d(outer), nn.Dropout(p=0.5)]
            self.model = nn.SequentialCell([down] + ([submodule] if submodule else []) + up)
            self.outermost = outermost

        def construct(self, x):
            out = self.model(x)
            return out if self.outermost else ops.concat((out, x), axis=1)

    net = fill(Skip(3, 4, Skip(4, 8), True), 6, 0.2)
    net.set_train(False)
    x = random(2, 3, 16, 16)
    target = random(2, 3, 16, 16)
    print(show(net(x)), show(ops.L1Loss()(net(x), target)) if hasattr(ops, "L1Loss") else show(nn.L1Loss()(net(x), target)), show(nn.BCEWithLogitsLoss()(net(x), ops.ones_like(target))))
    print(show(ops.pad(x, (1, 1, 2, 2), mode="reflect")), show(nn.ReflectionPad2d(1)(x)), show(ops.interpolate(x, size=(8, 8), mode="nearest")), show(ops.interpolate(x, scale_factor=2.0, recompute_scale_factor=True, mode="bilinear", align_corners=True)) if True else "")
    print(show(nn.Conv2dTranspose(3, 2, 3, 2, "same", weight_init="ones")(x)), show(nn.Pad(((0, 0), (0, 0), (1, 1), (1, 1)), "SYMMETRIC")(x)))


@part
def detection():
    boxes = Tensor(np.array([[0, 0, 10, 10], [1, 1, 11, 11], [20, 20, 30, 30]], np.float32))
    scores = Tensor(np.array([0.9, 0.8, 0.7], np.float32))

    def iou(a, b):
        lt, rb = ops.maximum(a[:, None, :2], b[:, :2]), ops.minimum(a[:, None, 2:], b[:, 2:])
        wh = (rb - lt).clip(0, None)
        inter = wh[:, :, 0] * wh[:, :, 1]
        area = lambda t: (t[:, 2] - t[:, 0]) * (t[:, 3] - t[:, 1])  # noqa: E731
        return inter / (area(a)[:, None] + area(b) - inter)

    print(show(iou(boxes, boxes)), show(ops.iou(boxes, boxes)))
    kept = ops.NMSWithMask(0.5)(ops.concat((boxes, scores.expand_dims(1)), 1))
    print(show(kept[1]), show(kept[2]))
    logits, target = random(2, 5, 4), Tensor(rng.randint(0, 4, (2, 5)).astype(np.int32))
    mask = ops.cast(ops.greater(target, 0), mstype.float32)
    num = ops.ReduceSum()(mask, 1)
    print(show(mask), show(num), show(nn.SmoothL1Loss(reduction="none")(logits, logits * 0.5).mean(-1)))
    conf = ops.one_hot(target, 4, Tensor(1.0), Tensor(0.0)) if False else ops.one_hot(target, 4)
    sigmoid, ce = ops.sigmoid(logits), ops.binary_cross_entropy_with_logits(logits, conf.astype(mstype.float32), ops.ones_like(logits), ops.ones_like(logits), reduction="none")
    modulating = ops.pow(1 - sigmoid, 2.0)
    print(show((modulating * ce).mean()), show(ops.topk(ops.amax(logits, -1), 2)[0]), show(ops.gather_nd(logits, Tensor([[0, 1], [1, 2]], mstype.int32))), show(ops.tile(scores.expand_dims(-1), (1, 4))))
    print(show(ops.ResizeBilinearV2(True)(random(1, 1, 4, 4), (8, 8))) if hasattr(ops, "ResizeBilinearV2") else "", show(ops.ResizeNearestNeighbor((2, 2))(random(1, 1, 4, 4))), show(ops.meshgrid(Tensor([0, 1]), Tensor([2, 3]), indexing="xy")), show(ops.clip(boxes, 0, 10)))
    print(show(nn.Conv2d(4, 4, 3, dilation=2, pad_mode="same", weight_init="ones")(random(1, 4, 6, 6))), show(nn.Conv2d(4, 8, 3, group=4, weight_init="ones")(random(1, 4, 6, 6))), show(ops.L2Normalize(1)(random(2, 3))))


@part
def segmentation():
    x = random(2, 3, 8, 8)
    net = fill(nn.SequentialCell(nn.Conv2d(3, 4, 3, padding=1, pad_mode="pad"), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Conv2dTranspose(4, 2, 2, 2)), 1)
    out = net(x)
    label = Tensor(rng.randint(0, 2, (2, 8, 8)).astype(np.int32))
    print(show(out), show(nn.CrossEntropyLoss(ignore_index=255)(out, label)), show(ops.argmax(out, dim=1)), show(ops.softmax(out, axis=1)))
    pred, truth = out.argmax(1).asnumpy(), label.asnumpy()
    hist = np.bincount(2 * truth.flatten() + pred.flatten(), minlength=4).reshape(2, 2)
    print(hist.shape, show(ops.bias_add(random(2, 3), Tensor([1., 2., 3.]))), show(ops.ResizeBilinear((4, 4))(x)) if hasattr(ops, "ResizeBilinear") else "")


@part
def diffusion():
    timesteps = 20
    betas = ops.linspace(Tensor(0.0001), Tensor(0.02), timesteps) if False else np.linspace(0.0001, 0.02, timesteps).astype(np.float32)
    alphas = 1.0 - betas
    alphas_cumprod = np.cumprod(alphas, axis=0)
    alphas_cumprod_prev = np.pad(alphas_cumprod[:-1], (1, 0), constant_values=1)
    sqrt_ac, p2 = Tensor(np.sqrt(alphas_cumprod)), ms.Tensor((1 + alphas_cumprod / (1 - alphas_cumprod)) ** -0.0)
    print(show(sqrt_ac), show(p2), alphas_cumprod_prev.shape)

    def extract(a, t, x_shape):
        b = t.shape[0]
        out = Tensor(a).gather(t, -1)
        return out.reshape(b, *((1,) * (len(x_shape) - 1)))

    t = Tensor([1, 5], mstype.int32)
    print(show(extract(sqrt_ac.asnumpy(), t, (2, 1, 4, 4))))

    class SinusoidalPositionEmbeddings(nn.Cell):
        def __init__(self, dim):
            super().__init__()
            self.dim = dim
            half_dim = self.dim // 2
            emb = math.log(10000) / (half_dim - 1)
            emb = np.exp(np.arange(half_dim) * -emb)
            self.emb = Tensor(emb, ms.float32)

        def construct(self, x):
            emb = x[:, None] * self.emb[None, :]
            return ops.concat((ops.sin(emb), ops.cos(emb)), axis=-1)

    class Block(nn.Cell):
        def __init__(self, dim, dim_out, groups=1):
            super().__init__()
            self.proj = nn.Conv2d(dim, dim_out, 3, pad_mode="pad", padding=1)
            self.norm = nn.GroupNorm(groups, dim_out)
            self.act = nn.SiLU()

        def construct(self, x, scale_shift=None):
            x = self.norm(self.proj(x))
            if scale_shift is not None:
                scale, shift = scale_shift
                x = x * (scale + 1) + shift
            return self.act(x)

    class Attention(nn.Cell):
        def __init__(self, dim, heads=2, dim_head=4):
            super().__init__()
            self.scale, self.heads = dim_head ** -0.5, heads
            self.to_qkv = nn.Conv2d(dim, heads * dim_head * 3, 1, pad_mode="valid", has_bias=False)
            self.to_out = nn.Conv2d(heads * dim_head, dim, 1, pad_mode="valid", has_bias=True)
            self.map = ops.Map()
            self.partial = ops.Partial()

        def construct(self, x):
            b, _, h, w = x.shape
            qkv = self.to_qkv(x).chunk(3, 1)
            q, k, v = self.map(self.partial(rearrange, self.heads), qkv)
            q = q * self.scale
            sim = ops.bmm(q.swapaxes(2, 3), k)
            attn = ops.softmax(sim, axis=-1)
            out = ops.bmm(attn, v.swapaxes(2, 3))
            out = out.swapaxes(-1, -2).reshape((b, -1, h, w))
            return self.to_out(out)

    x = random(2, 4, 4, 4)
    print(show(SinusoidalPositionEmbeddings(8)(Tensor([1., 2.]))), show(fill(Block(4, 8), 1)(x)), show(fill(Block(4, 4), 1)(x, (Tensor(0.5), Tensor(1.0)))), show(fill(Attention(4), 2)(x)), show(ms.grad(fill(Attention(4), 2))(x)))
    print(show(ops.randn_like(x).shape), show(ops.smooth_l1_loss(x, x * 0)) if hasattr(ops, "smooth_l1_loss") else "", show(nn.HuberLoss()(x, x * 0)), show(ops.standard_normal((2, 3)).shape), show(ops.randint(0, 10, (3,)).dtype))


def rearrange(head, inputs):
    b, hc, x, y = inputs.shape
    c = hc // head
    return inputs.reshape((b, head, c, x * y))


@part
def vision_transformer():
    class Attention(nn.Cell):
        def __init__(self, dim, num_heads=2, keep_prob=1.0):
            super().__init__()
            self.num_heads, self.scale = num_heads, Tensor((dim // num_heads) ** -0.5)
            self.qkv, self.attn_drop, self.out = nn.Dense(dim, dim * 3), nn.Dropout(p=1.0 - keep_prob), nn.Dense(dim, dim)
            self.attn_matmul_v, self.q_matmul_k, self.softmax = ops.BatchMatMul(), ops.BatchMatMul(transpose_b=True), nn.Softmax(axis=-1)

        def construct(self, x):
            b, n, c = x.shape
            qkv = self.qkv(x)
            qkv = ops.reshape(qkv, (b, n, 3, self.num_heads, c // self.num_heads))
            qkv = ops.transpose(qkv, (2, 0, 3, 1, 4))
            q, k, v = ops.unstack(qkv, axis=0)
            attn = ops.mul(self.q_matmul_k(q, k), self.scale)
            attn = self.attn_drop(self.softmax(attn))
            out = ops.transpose(self.attn_matmul_v(attn, v), (0, 2, 1, 3))
            return self.out(ops.reshape(out, (b, n, c)))

    class ViT(nn.Cell):
        def __init__(self, dim=8):
            super().__init__()
            self.patch = nn.Conv2d(3, dim, kernel_size=4, stride=4, has_bias=True)
            self.cls = Parameter(initializer(Normal(sigma=1.0), (1, 1, dim), ms.float32), name="cls", requires_grad=True)
            self.pos = Parameter(initializer(Normal(sigma=1.0), (1, 5, dim), ms.float32), name="pos")
            self.norm1, self.attention, self.norm2 = nn.LayerNorm((dim,)), Attention(dim), nn.LayerNorm((dim,))
            self.mlp = nn.SequentialCell([nn.Dense(dim, 16, activation=nn.GELU()), nn.Dense(16, dim)])
            self.dense = nn.Dense(dim, 3)
            self.tile, self.concat = ops.Tile(), ops.Concat(axis=1)

        def construct(self, x):
            x = self.patch(x)
            b, c, h, w = x.shape
            x = ops.transpose(ops.reshape(x, (b, c, h * w)), (0, 2, 1))
            x = self.concat((self.tile(self.cls.astype(x.dtype), (b, 1, 1)), x)) + self.pos
            x = x + self.attention(self.norm1(x))
            x = x + self.mlp(self.norm2(x))
            return self.dense(x[:, 0])

    net = fill(ViT(), 3)
    x = random(2, 3, 8, 8)
    print(show(net(x)), [p.name for p in net.trainable_params()][:6])
    opt = nn.Adam(net.trainable_params(), nn.cosine_decay_lr(min_lr=0.0, max_lr=0.00005, total_step=4, step_per_epoch=2, decay_epoch=2))

    class CrossEntropySmooth(nn.LossBase):
        def __init__(self, smooth_factor=0.1, num_classes=3):
            super().__init__()
            self.onehot, self.on, self.off = ops.OneHot(), Tensor(1.0 - smooth_factor, ms.float32), Tensor(smooth_factor / (num_classes - 1), ms.float32)
            self.ce = nn.SoftmaxCrossEntropyWithLogits(sparse=False, reduction="mean")

        def construct(self, logit, label):
            return self.ce(logit, self.onehot(label, ops.shape(logit)[1], self.on, self.off))

    print(train(net, CrossEntropySmooth(), opt, x, Tensor([0, 2], ms.int32)))
