import minigraph as ms
# Applications with sequences: sentiment with LSTMs, CRF, Transformers, recommendation, text generation.
import math
import numpy as np
from parts import fill, part, rng, show
from minigraph import Parameter, Tensor, nn, ops
from minigraph.common.initializer import HeUniform, Normal, Uniform, XavierUniform, initializer


def random(*shape):
    return Tensor(rng.randn(*shape).astype(np.float32))


def ids(high, *shape):
    return Tensor(rng.randint(0, high, shape).astype(np.int32))


@part
def sentiment():
    class RNN(nn.Cell):
        def __init__(self, embeddings, hidden_dim, output_dim, n_layers, bidirectional, pad_idx):
            super().__init__()
            vocab_size, embedding_dim = embeddings.shape
            self.embedding = nn.Embedding(vocab_size, embedding_dim, embedding_table=Tensor(embeddings), padding_idx=pad_idx)
            self.rnn = nn.LSTM(embedding_dim, hidden_dim, num_layers=n_layers, bidirectional=bidirectional, batch_first=True)
            weight_init, bias_init = HeUniform(math.sqrt(5)), Uniform(1 / math.sqrt(hidden_dim * 2))
            self.fc = nn.Dense(hidden_dim * 2, output_dim, weight_init=weight_init, bias_init=bias_init)

        def construct(self, inputs):
            embedded = self.embedding(inputs)
            _, (hidden, _) = self.rnn(embedded)
            hidden = ops.concat((hidden[-2, :, :], hidden[-1, :, :]), axis=1)
            return self.fc(hidden)

    net = fill(RNN(rng.randn(20, 6).astype(np.float32), 5, 1, 2, True, 0), 1)
    x, y = ids(20, 4, 7), Tensor(rng.randint(0, 2, (4, 1)).astype(np.float32))
    loss_fn, opt = nn.BCEWithLogitsLoss(reduction="mean"), nn.Adam(net.trainable_params(), learning_rate=0.01)
    print(show(net(x)), [(p.name, p.shape) for p in net.trainable_params()][:6])

    def forward_fn(data, label):
        return loss_fn(net(data), label)

    grad_fn = ms.value_and_grad(forward_fn, None, opt.parameters)
    for _ in range(3):
        loss, grads = grad_fn(x, y)
        opt(grads)
        print(show(loss))
    rounded = ops.around(ops.sigmoid(net(x)).asnumpy()) if False else np.around(ops.sigmoid(net(x)).asnumpy())
    print((rounded == y.asnumpy()).astype(np.float32).sum() / len(rounded), show(net.embedding.embedding_table.value()))


@part
def recurrent():
    for kind in (nn.RNN, nn.GRU, nn.LSTM):
        layer = fill(kind(4, 3, batch_first=True), 2)
        out, state = layer(random(2, 5, 4))
        print(kind.__name__, show(out), show(state))
        out, state = fill(kind(4, 3, num_layers=2, bidirectional=True, dropout=0.0), 2)(random(5, 2, 4), None if False else None) if False else layer(random(2, 5, 4), None)
        print(show(out))
    out, state = fill(nn.GRU(4, 3, 2, bidirectional=True), 3)(random(5, 2, 4), random(4, 2, 3), Tensor([5, 3], ms.int32))
    print(show(out), show(state))
    for cell in (nn.RNNCell(4, 3), nn.GRUCell(4, 3)):
        print(type(cell).__name__, show(fill(cell, 1)(random(2, 4), random(2, 3))))
    print(show(fill(nn.LSTMCell(4, 3), 1)(random(2, 4), (random(2, 3), random(2, 3)))))


def compute_score(emissions, tags, seq_ends, mask, trans, start_trans, end_trans):
    seq_length, batch_size = tags.shape
    mask = mask.astype(emissions.dtype)
    score = start_trans[tags[0]]
    score += emissions[0, mnp_arange(batch_size), tags[0]]
    for i in range(1, seq_length):
        score += trans[tags[i - 1], tags[i]] * mask[i]
        score += emissions[i, mnp_arange(batch_size), tags[i]] * mask[i]
    last_tags = tags[seq_ends, mnp_arange(batch_size)]
    score += end_trans[last_tags]
    return score


def mnp_arange(n):
    return ms.numpy.arange(n)


def compute_normalizer(emissions, mask, trans, start_trans, end_trans):
    seq_length = emissions.shape[0]
    score = start_trans + emissions[0]
    for i in range(1, seq_length):
        broadcast_score = score.expand_dims(2)
        broadcast_emissions = emissions[i].expand_dims(1)
        next_score = ops.logsumexp(broadcast_score + trans + broadcast_emissions, 1)
        score = ops.where(mask[i].expand_dims(1), next_score, score)
    return ops.logsumexp(score + end_trans, 1)


def viterbi_decode(emissions, mask, trans, start_trans, end_trans):
    seq_length = mask.shape[0]
    score = start_trans + emissions[0]
    history = ()
    for i in range(1, seq_length):
        next_score = score.expand_dims(2) + trans + emissions[i].expand_dims(1)
        indices = next_score.argmax(axis=1)
        history += (indices,)
        next_score = ops.amax(next_score, 1)
        score = ops.where(mask[i].expand_dims(1), next_score, score)
    score += end_trans
    return score, history


def sequence_mask(seq_length, max_length, batch_first=False):
    range_vector = ops.arange(0, max_length, 1).astype(seq_length.dtype)
    result = range_vector < seq_length.view(seq_length.shape + (1,))
    return result.astype(ms.int64) if batch_first else result.astype(ms.int64).swapaxes(0, 1)


class CRF(nn.Cell):
    def __init__(self, num_tags, batch_first=False, reduction="sum"):
        super().__init__()
        self.num_tags, self.batch_first, self.reduction = num_tags, batch_first, reduction
        self.start_transitions = Parameter(initializer(Uniform(0.1), (num_tags,)), name="start_transitions")
        self.end_transitions = Parameter(initializer(Uniform(0.1), (num_tags,)), name="end_transitions")
        self.transitions = Parameter(initializer(Uniform(0.1), (num_tags, num_tags)), name="transitions")

    def construct(self, emissions, tags=None, seq_length=None):
        return self._decode(emissions, seq_length) if tags is None else self._forward(emissions, tags, seq_length)

    def _forward(self, emissions, tags=None, seq_length=None):
        max_length, batch_size = emissions.shape[1], emissions.shape[0]
        emissions, tags = emissions.swapaxes(0, 1), tags.swapaxes(0, 1)
        mask = sequence_mask(seq_length, max_length)
        numerator = compute_score(emissions, tags, seq_length - 1, mask, self.transitions, self.start_transitions, self.end_transitions)
        denominator = compute_normalizer(emissions, mask.astype(ms.bool_), self.transitions, self.start_transitions, self.end_transitions)
        return (denominator - numerator).sum()

    def _decode(self, emissions, seq_length=None):
        emissions = emissions.swapaxes(0, 1)
        mask = sequence_mask(seq_length, emissions.shape[0]).astype(ms.bool_)
        return viterbi_decode(emissions, mask, self.transitions, self.start_transitions, self.end_transitions)


@part
def crf():
    class Tagger(nn.Cell):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(12, 4, padding_idx=0)
            self.lstm = nn.LSTM(4, 3, bidirectional=True, batch_first=True)
            self.hidden2tag = nn.Dense(6, 3, "he_uniform")
            self.crf = CRF(3, batch_first=True)

        def construct(self, inputs, seq_length, tags=None):
            feats = self.hidden2tag(self.lstm(self.embedding(inputs), seq_length=seq_length)[0])
            return self.crf(feats, tags, seq_length)

    net = fill(Tagger(), 4)
    x, lengths, tags = ids(12, 2, 5), Tensor([5, 3], ms.int32), ids(3, 2, 5)
    opt = nn.SGD(net.trainable_params(), learning_rate=0.01, weight_decay=1e-4)
    grad_fn = ms.value_and_grad(net, None, opt.parameters)

    def train_step(data, seq_length, label):
        loss, grads = grad_fn(data, seq_length, label)
        opt(grads)
        return loss

    print([show(train_step(x, lengths, tags)) for _ in range(3)])
    score, history = net(x, lengths)
    print(show(score), show(list(history)))
    print(show(sequence_mask(lengths, 5, True)))


@part
def transformer():
    class PositionalEncoding(nn.Cell):
        def __init__(self, d_model, max_len=10):
            super().__init__()
            pe = np.zeros((max_len, d_model))
            position = np.arange(0, max_len)[:, None]
            angle = position / np.power(10000, np.arange(0, d_model, 2) / d_model)
            pe[:, 0::2], pe[:, 1::2] = np.sin(angle), np.cos(angle)
            self.pe = Tensor(pe, ms.float32)

        def construct(self, x):
            return x + self.pe[:x.shape[1]].expand_dims(0)

    class ScaledDotProduct(nn.Cell):
        def __init__(self):
            super().__init__()
            self.softmax, self.dropout = nn.Softmax(), nn.Dropout(p=0.0)

        def construct(self, query, key, value, attn_mask=None):
            embed_size = query.shape[-1]
            scaling_factor = ops.sqrt(Tensor(embed_size, ms.float32))
            attn = ops.matmul(query, key.swapaxes(-2, -1) / scaling_factor)
            if attn_mask is not None:
                attn = attn.masked_fill(attn_mask, -1e9)
            attn = self.dropout(self.softmax(attn))
            return ops.matmul(attn, value), attn

    def get_attn_pad_mask(seq_q, seq_k, pad_idx):
        batch_size, len_q = seq_q.shape
        _, len_k = seq_k.shape
        pad = ops.equal(seq_k, pad_idx).expand_dims(1)
        return ops.broadcast_to(pad, (batch_size, len_q, len_k))

    def get_attn_subsequent_mask(seq_q, seq_k):
        mask = ops.triu(ops.ones((seq_q.shape[0], seq_q.shape[1], seq_k.shape[1])), diagonal=1)
        return mask.to(ms.bool_) if False else mask.astype(ms.bool_)

    tokens = Tensor([[1, 2, 3, 0], [4, 5, 0, 0]], ms.int32)
    pad_mask = get_attn_pad_mask(tokens, tokens, 0)
    print(show(pad_mask), show(get_attn_subsequent_mask(tokens, tokens)), show(ops.gt(pad_mask + get_attn_subsequent_mask(tokens, tokens), 0)) if False else show(ops.logical_or(pad_mask, get_attn_subsequent_mask(tokens, tokens))))
    q = random(2, 4, 8)
    print(show(ScaledDotProduct()(q, q, q, pad_mask)), show(PositionalEncoding(8)(q)))
    attention = fill(nn.MultiheadAttention(8, 2, batch_first=True), 2)
    print(show(attention(q, q, q)), show(attention(q, q, q, key_padding_mask=ops.equal(tokens, 0), need_weights=False)), [p.name for p in attention.trainable_params()])
    layer = fill(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True), 1)
    encoder = fill(nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0), 2), 1)
    print(show(layer(q)), show(layer(q, src_key_padding_mask=ops.equal(tokens, 0))), show(encoder(q.swapaxes(0, 1))), [p.name for p in layer.trainable_params()])
    decoder = fill(nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0, batch_first=True), 1)
    print(show(decoder(q, q, tgt_mask=ops.triu(ops.full((4, 4), float("-inf"), dtype=ms.float32), 1))))
    print(show(fill(nn.Transformer(8, 2, 1, 1, 16, dropout=0.0, batch_first=True), 1)(q, q)))
    print(show(nn.LayerNorm([8], epsilon=1e-5)(q)), show(ops.gelu(q)), show(ops.log_softmax(q, -1)))


@part
def generation():
    logits = random(2, 6)
    probs = ops.softmax(logits / 0.7, -1)
    values, order = ops.sort(probs, descending=True)
    cumulative = values.cumsum(-1)
    removed = ops.concat((ops.zeros((2, 1), ms.bool_), (cumulative > 0.8)[:, :-1]), -1) if False else (cumulative - values > 0.8)
    filtered = ops.masked_fill(values, removed, 0.0)
    print(show(order), show(filtered / filtered.sum(-1, keepdims=True)), ops.multinomial(probs, 3, replacement=True).shape, show(ops.argmax(logits, -1)), show(ops.topk(logits, 3)[1]))
    ids_ = Tensor([[1, 2]], ms.int32)
    for _ in range(3):
        ids_ = ops.concat((ids_, ids_[:, -1:] + 1), axis=-1)
    print(ids_, show(ops.gather(logits, Tensor([1, 0]), 0)), show(ops.gather_elements(logits, 1, Tensor([[0], [1]]))), show(ops.tril(ops.ones((3, 3)))), show(ops.repeat_interleave(logits, 2, 0)), show(ops.cross_entropy(logits, Tensor([1, 2], ms.int32), ignore_index=-100)))
    cache = Parameter(Tensor(np.zeros((1, 4, 2), np.float32)), name="key_cache")
    cache[:, 1] = Tensor([[1., 2.]])
    cache[:, 2:3] = ops.ones((1, 1, 2))
    print(cache.asnumpy())


@part
def recommendation():
    class NCF(nn.Cell):
        def __init__(self, users, items, factors, layers):
            super().__init__()
            self.gmf_user, self.gmf_item = nn.Embedding(users, factors), nn.Embedding(items, factors)
            self.mlp_user, self.mlp_item = nn.Embedding(users, layers[0] // 2), nn.Embedding(items, layers[0] // 2)
            self.mlp = nn.SequentialCell([nn.Dense(layers[i], layers[i + 1], activation="relu", weight_init=XavierUniform()) for i in range(len(layers) - 1)])
            self.logits = nn.Dense(factors + layers[-1], 1, activation=None)

        def construct(self, user, item):
            gmf = self.gmf_user(user) * self.gmf_item(item)
            mlp = self.mlp(ops.concat((self.mlp_user(user), self.mlp_item(item)), 1))
            return self.logits(ops.concat((gmf, mlp), 1))

    net = fill(NCF(6, 8, 3, [8, 6, 4]), 1)
    user, item, label = ids(6, 4), ids(8, 4), Tensor(rng.randint(0, 2, (4, 1)).astype(np.float32))
    loss_fn, opt = nn.BCEWithLogitsLoss(), nn.Adam(net.trainable_params(), 0.01)

    def forward(user, item, label):
        return loss_fn(net(user, item), label)

    grad_fn = ms.value_and_grad(forward, None, opt.parameters)
    for _ in range(2):
        loss, grads = grad_fn(user, item, label)
        opt(grads)
        print(show(loss))
    scores = net(ops.fill(ms.int32, (8,), 2), ops.arange(8).astype(ms.int32)).squeeze(1)
    _, top = ops.TopK(sorted=True)(scores, 3)
    print(show(top), show(ops.sigmoid(scores)), show(ops.unique(item)[0].shape))

    class WideDeep(nn.Cell):
        def __init__(self):
            super().__init__()
            self.wide_w, self.wide_b = Parameter(initializer("normal", (10, 1)), name="Wide_w"), Parameter(initializer("zeros", (1,)), name="Wide_b")
            self.embedding_table = Parameter(initializer("normal", (10, 3)), name="V_l2")
            self.dense = nn.SequentialCell(nn.Dense(6, 4), nn.ReLU(), nn.Dense(4, 1))
            self.reduce_sum, self.gather = ops.ReduceSum(keep_dims=False), ops.Gather()

        def construct(self, id_hldr, wt_hldr):
            mask = ops.reshape(wt_hldr, (-1, 2, 1))
            wide = self.reduce_sum(ops.mul(self.gather(self.wide_w, id_hldr, 0), mask), 1) + self.wide_b
            deep = ops.mul(self.gather(self.embedding_table, id_hldr, 0), mask)
            return wide + self.dense(ops.reshape(deep, (-1, 6)))

    net = fill(WideDeep(), 3)
    weights_w, weights_d = ms.ParameterTuple([p for p in net.trainable_params() if "Wide" in p.name]), ms.ParameterTuple([p for p in net.trainable_params() if "Wide" not in p.name])
    opt_w, opt_d = nn.FTRL(learning_rate=5e-2, params=weights_w, l1=1e-8, l2=1e-8, initial_accum=1.0), nn.Adam(weights_d, learning_rate=3.5e-3, eps=1e-8, loss_scale=1.0)
    x, w, y = ids(10, 4, 2), Tensor(rng.rand(4, 2).astype(np.float32)), Tensor(rng.randint(0, 2, (4, 1)).astype(np.float32))

    def wide_deep(x, w, y):
        return nn.BCEWithLogitsLoss()(net(x, w), y)

    both = ms.value_and_grad(wide_deep, None, (weights_w + weights_d) if False else ms.ParameterTuple(tuple(weights_w) + tuple(weights_d)))
    for _ in range(2):
        loss, grads = both(x, w, y)
        opt_w(grads[:len(weights_w)])
        opt_d(grads[len(weights_w):])
        print(show(loss), show(net.wide_w.value()))
    auc = nn.auc if False else None
    print(show(nn.EmbeddingLookup(10, 3)(x).shape), auc)


@part
def translation():
    class Encoder(nn.Cell):
        def __init__(self):
            super().__init__()
            self.embedding, self.rnn = nn.Embedding(10, 4), nn.GRU(4, 5)

        def construct(self, src):
            return self.rnn(self.embedding(src.swapaxes(0, 1)))

    class Decoder(nn.Cell):
        def __init__(self):
            super().__init__()
            self.embedding, self.rnn, self.out = nn.Embedding(10, 4), nn.GRU(9, 5), nn.Dense(14, 10)

        def construct(self, token, hidden, encoded):
            embedded = self.embedding(token.expand_dims(0))
            weights = ops.softmax(ops.bmm(hidden.swapaxes(0, 1), encoded.transpose(1, 2, 0)), -1)
            context = ops.bmm(weights, encoded.swapaxes(0, 1)).swapaxes(0, 1)
            output, hidden = self.rnn(ops.concat((embedded, context), 2), hidden)
            return self.out(ops.concat((output, context, embedded), 2).squeeze(0)), hidden

    enc, dec = fill(Encoder(), 1), fill(Decoder(), 2)
    src, trg = ids(10, 2, 4), ids(10, 2, 3)

    def forward(src, trg):
        encoded, hidden = enc(src)
        loss = 0
        for t in range(1, trg.shape[1]):
            logits, hidden = dec(trg[:, t - 1], hidden, encoded)
            loss = loss + ops.cross_entropy(logits, trg[:, t])
        return loss

    enc.update_parameters_name("enc.")
    dec.update_parameters_name("dec.")
    weights = ms.ParameterTuple(enc.trainable_params() + dec.trainable_params())
    value, grads = ms.value_and_grad(forward, None, weights)(src, trg)
    print(show(value), [show(g) for g in grads][:3], [p.name for p in weights][:3])


@part
def graphs():
    adjacency = Tensor((rng.rand(5, 5) > 0.5).astype(np.float32))
    x, w, a = random(5, 3), random(3, 4), random(8, 1)
    h = ops.matmul(x, w)
    pairs = ops.concat((ops.repeat_interleave(h, 5, 0), ops.tile(h, (5, 1))), 1).reshape(5, 5, 8)
    e = ops.leaky_relu(ops.matmul(pairs, a).squeeze(2), 0.2) if hasattr(ops, "leaky_relu") else nn.LeakyReLU(0.2)(ops.matmul(pairs, a).squeeze(2))
    att = ops.softmax(ops.select(adjacency > 0, e, ops.ones_like(e) * -9e15), axis=1)
    print(show(ops.elu(ops.matmul(att, h))), show(ops.unsorted_segment_sum(x, Tensor([0, 1, 0, 1, 2], ms.int32), 3)), show(ops.scatter_nd(Tensor([[0], [2]]), random(2, 3), (4, 3))), show(ops.tensor_scatter_add(x, Tensor([[0], [2]]), random(2, 3))), show(ops.index_select(x, 0, Tensor([0, 2]))))
