"""How to call what: one line per name, argument lists separated by ``;``, in terms of the inputs below.

An indented line goes on with the one before. A name without a line is called as its signature asks for: with one
tensor, or with two. Names that minigraph has not yet may stand here, too: they are recorded, and join the grid with
the function.
"""

# What the letters stand for; {d} is the dtype that is being swept.
INPUTS = {
    "x": "{d}[2,3] normal",
    "y": "{d}[2,3] nonzero",
    "v": "{d}[3] normal",
    "s": "{d}[] nonzero",
    "w": "{d}[3,4] normal",
    "a": "{d}[2,3,4] normal",
    "b": "{d}[2,4,3] normal",
    "o": "{d}[1,3,1] normal",
    "q": "{d}[2,4,5,5] normal",
    "k": "{d}[6,4,3,3] normal",
    "g": "{d}[6,2,3,3] normal",
    "r": "{d}[6] normal",
    "t": "{d}[2,3] ties",
    "u": "{d}[2,3] unit",
    "p": "{d}[3] positive",
    "e": "{d}[4] sorted",
    "z": "{d}[3,3] definite",
    "m": "bool[2,3] normal",
    "i": "i64[2] below2",
    "j": "i32[2] below2",
    "n": "i64[2,3] below3",
    "l": "i32[2] below3",
    "h": "i64[2,2] below2",
    "f": "f32[2,3] normal",
    "v2": "{d}[2] normal",
    "p4": "{d}[4] positive",
    "v4": "{d}[4] normal",
    "w4": "{d}[4,2] normal",
    "a4": "{d}[2,4] normal",
    "m4": "bool[3,4] normal",
    "m2": "i64[1,3] below2",
}

FUNCTIONS = """
abs             x; s
acos            x; u
add             x, y; x, v; x, 2; x, 2.5; True, x; x, [1.0, 2.0, 3.0]; 1, 2; a, o; x, r
addbmm          z, a, b; z, a, b, beta=2, alpha=3
addcdiv         x, y, y; x, y, y, 2
addcmul         x, y, y; x, y, y, 2
addmm           z, z, z; z, z, z, beta=2, alpha=3
addmv           v, z, p; v, z, p, beta=2, alpha=3
addn            [x, y, x]
addr            z, v, p; z, v, p, beta=2, alpha=3
all             x; x, 0; x, axis=1, keep_dims=True; x, (0, 1); x, 5
amax            x; x, 0; x, axis=-1, keepdims=True; x, (0, 1); t, 1; x, 5
amin            x; x, 0; x, axis=-1, keepdims=True; x, (0, 1); t, 1; x, 5
any             x; x, 0; x, axis=1, keep_dims=True; x, (0, 1)
arange          5; 2, 5; 1, 10, 3; 2.0; 0, 1, 0.25; 5, 0, -2; 5, dtype=ms.int32; 3, dtype=ms.float32; 0; 5, 2
argmax          x; x, 0; x, dim=-1, keepdim=True; t, 1; t; x, 5; x, None, True
argmin          x; x, 0; x, axis=-1, keepdims=True; t, 1; t; x, 5
argsort         x; x, 0; x, axis=0, descending=True
asin            x; u
assign_add      s, 2
atan            x; s
atan2           x, y; x, v; x, 2.0
avg_pool1d      a, 2; a, 2, 2
avg_pool2d      q, 2; q, 2, 2; q, 3, 2, padding=1; q, (2, 3), (1, 2); q
baddbmm         a @ b, a, b; a @ b, a, b, beta=2, alpha=3
batch_norm      q, p4, p4, p4, p4
bias_add        x, v; q, v4
binary_cross_entropy   u, u; u, u, reduction='sum'; u, u, reduction='none'
binary_cross_entropy_with_logits   x, u, u, u; x, u, u, u, reduction='none'; x, u
bitwise_and     x, y; x, v; m, m
bitwise_or      x, y; x, v; m, m
bitwise_xor     x, y; x, v; m, m
block_diag      x, z
bmm             a, b; b, a; a, a; x, w
broadcast_to    x, (4, 2, 3); v, (2, -1); o, (2, -1, 4); s, (2, 2); x, (3, 2); x, (-1, 3)
bucketize       x, [-1.0, 0.0, 2.0]; x, [0, 2]; x, [-1.0, 2.0], right=True
cartesian_prod  v, p
cast            x, ms.float32; x, ms.int32; x, ms.bool_; x, ms.float16; x, ms.int8; x, ms.uint8; x, ms.float64
                x, ms.int64
cat             [x, y]; (x, y), 1; [x, y], axis=-1; [x, v]; x; [x]; [x, f]; (a, a), 2
ceil            x; s
celu            x; x, 0.5
chunk           x, 2; x, 2, 1; x, 5; x, 3, axis=-1
clamp           x, -1, 1; x, 0; x, None, 0.5; x, -0.5, 0.5; x, 1, -1; x; x, s; x, v, y
clip            x, -1, 1; x, 0; x, None, 0.5; x, -0.5, 0.5; x, 1, -1; x; x, s
clip_by_global_norm  [x, y], 1.0
clip_by_norm    x, 1.0; x, 0.5, 1; x, 100.0
clip_by_value   x, -1, 1; x, 0; x, None, 0.5; x, 1, -1
column_stack    [x, y]; [v, v]
combinations    v; v, 2, True
concat          [x, y]; (x, y), 1; [x, y], axis=-1; [x, v]; x; [x]; [x, f]; []
conv2d          q, k; q, k, r; q, k, None, 2; q, k, stride=2, pad_mode='same'; q, k, pad_mode='pad', padding=1
                q, k, dilation=2; q, g, groups=2
copysign        x, y; x, 2.0
cos             x; s
cosh            x; u
cosine_embedding_loss  x, y, Tensor([1, -1], ms.int32); x, y, Tensor([1, -1], ms.int32), 0.5, 'none'
count_nonzero   x; x, 0; x, 1, True
cov             x; x, ddof=0; v
cross           x, y; x, y, 1
cross_entropy   x, l; x, u; x, l, reduction='sum'; x, l, reduction='none'; x, l, p; x, l, label_smoothing=0.1
                x, l, ignore_index=1; x, i
cummax          x, 0; x, 1
cummin          x, 0; x, 1
cumprod         x, 0; x, 1; x, -1
cumsum          x, 0; x, 1; x, -1; x, 5
dense           x, z; x, z, v; a, a4
diag            v; z
diagonal        z; a; z, 1
diff            x; x, 1, 0
dist            x, y; x, y, 1
div             x, y; x, v; x, 2; 3, y; x, 2.5; x, y, rounding_mode='floor'; x, y, rounding_mode='trunc'; x, 0
                x, y, rounding_mode='up'
divide          x, y; x, v; x, 2; x, y, rounding_mode='floor'; x, y, rounding_mode='trunc'
dot             v, p; x, w
dropout         x, 0.0; x, 0.5, False; x, 1.0
dsplit          a, 2; a, [1, 3]
dstack          [x, y]
einsum          'ij,jk->ik', x, w; 'ij->ji', x; 'bij,bjk->bik', a, b; 'ij->', x; 'i,j->ij', v, p
elu             x; x, 0.5
eq              x, y; x, 1
equal           x, y; x, v; x, x; x, 1; x, 1.5; x, f; t, t
erf             x; u
erfc            x; u
exp             x; s; u
exp2            x; u
expand_dims     x, 0; x, 1; x, -1; x, 3; v, 0
expm1           x; u
eye             3; 2, 3; 3, 2; 2, dtype=ms.int32; 0; 3, dtype=ms.bool_; 2, 2, ms.float16
fill            ms.float32, (2, 2), 1.5; ms.int32, (3,), 2
flatten         a; x; v; s; a, start_dim=0; a, start_dim=1, end_dim=2; a, start_dim=2; q, start_dim=1, end_dim=2
flip            x, (0,); x, (0, 1); x, (-1,); x, [1]; x, 0
floor           x; s
floor_div       x, y; x, v; x, 2; 7, y; x, 2.5; x, -2; t, t
floor_divide    x, y; x, v; x, 2; x, 2.5; x, -2
floor_mod       x, y; x, v; x, 2; x, 2.5; x, -2; 7, y
fmax            x, y; x, 2
fmin            x, y; x, 2
fmod            x, y; x, 2; x, -2.5
frac            x
full            (2, 3), 1.5; (2,), 3; 3, 1; (2, 2), True; (2, 3), 1, dtype=ms.float32; (), 2.0
                (2,), 2.5, dtype=ms.int32; (0,), 1
full_like       x, 2; x, 1.5; x, 0; x, 1, dtype=ms.float32
gather          x, i, 0; x, i, 1; a, i, 2; a, h, 1; v, i, 0; x, j, 0; x, i, -1; x, 1, 0; x, i, 5; x, i
gather_d        x, 1, n
gather_elements x, 1, n; x, 0, m2
gather_nd       x, h
gaussian_nll_loss  x, y, u; x, y, u, full=True, reduction='sum'
ge              x, y
gelu            x; x, 'tanh'; x, approximate='none'; x, 'other'
glu             w; w, 0
greater         x, y; x, v; x, 1; x, 0.5; x, f
greater_equal   x, y; x, v; x, 1; t, t
group_norm      q, 2; q, 2, v4, v4
gt              x, y
hardshrink      x; x, 1.0
hardsigmoid     x
hardswish       x
hardtanh        x; x, -0.5, 0.5
hinge_embedding_loss  x, Tensor([[1.0, -1.0, 1.0], [-1.0, 1.0, 1.0]])
                x, Tensor([[1.0, -1.0, 1.0], [-1.0, 1.0, 1.0]]), 2.0, 'sum'
histc           x; x, 3, -2.0, 2.0
hsplit          x, 3; x, [1]
hstack          [x, y]; [v, v]
huber_loss      x, y; x, y, 'none'; x, y, delta=0.5
hypot           x, y
identity        x
index_add       x, j, y, 0
index_fill      x, 0, j, 2.0; x, 1, j, 0.5
index_select    x, 0, i; x, 1, j
inner           x, y
interpolate     q, (3, 3); q, scale_factor=2.0
isclose         x, y; x, x
isfinite        x
isinf           x
isnan           x
kl_div          x, u; x, u, 'sum'; x, u, 'none'; x, u, 'batchmean'
l1_loss         x, y; x, y, 'sum'; x, y, reduction='none'
layer_norm      x, (3,); x, [3], v, v; a, (3, 4)
le              x, y
leaky_relu      x; x, 0.1; x, alpha=0.5; x, -0.5
lerp            x, y, 0.5; x, y, u
less            x, y; x, v; x, 1; x, 1.5; 1, x; x, f
less_equal      x, y; x, v; x, 1; t, t
linspace        0, 1, 5; 0.0, 10.0, 3; 1, 2, 1; 0, 1, steps=4
log             x; u; p
log10           x; u
log1p           x; u
log2            x; u
log_softmax     x; x, 0; x, -1; x, 5; a, 1
logaddexp       x, y
logical_and     x, y; x, v; m, m; x, True
logical_not     x; m
logical_or      x, y; m, m; x, False
logical_xor     x, y; m, m
logsigmoid      x
logspace        0, 2, 3; 0, 10, 5
logsumexp       x, 0; x, -1; x, (0, 1); x, 1, True; a, (0, 2); x
lt              x, y
margin_ranking_loss  x, y, u; x, y, u, 0.5, 'none'
masked_fill     x, m, 0; x, m, 1.5; x, m, s; x, x > 0, -1; x, m, 2
masked_select   x, m; x, x > 0
matmul          x, w; a, b; v, w; x, v; v, p; a, w4; x, y; x, f; s, x; q, q; o, a; w, x; 2, x
max             x; x, 0; x, axis=-1, keepdims=True; t, 1; t; x, 5
max_pool2d      q, 2; q, 2, 2; q, 3, 2, padding=1; q, (2, 3), (1, 2); q, 3, 1, 1
maximum         x, y; x, v; t, t; x, 0; x, 0.5; 1, x; x, x; x, f
mean            x; x, 0; x, axis=-1, keep_dims=True; x, (0, 1); a, (0, 2); x, 5; x, ()
median          x; x, 0
meshgrid        v, p
min             x; x, 0; x, axis=-1, keepdims=True; t, 1; t; x, 5
minimum         x, y; x, v; t, t; x, 0; x, 0.5; 1, x; x, x; x, f
mirror_pad      x, [[0, 0], [1, 1]], 'REFLECT'
mish            x
mm              x, w; a, b
moveaxis        a, 0, 2; a, (0, 1), (1, 0)
movedim         a, 0, 2; a, (0, 1), (1, 0)
mse_loss        x, y; x, y, 'sum'; x, y, 'none'; x, v; x, f; x, y, 'other'; x, 1.0
mul             x, y; x, v; x, 2; x, 2.5; x, True; a, o
multiply        x, y; x, 2
mv              x, v
nan_to_num      x; x, 1.0, 2.0, 3.0
narrow          x, 1, 0, 2
ne              x, y
neg             x; s
negative        x
nll_loss        x, l; x, l, p; x, l, reduction='sum'; x, l, reduction='none'
nonzero         x; t
norm            x; x, 2, 1; x, 1, 0; x, 'fro'; x, float('inf'), 1
normalize       x
not_equal       x, y; x, v; x, x; x, 1; x, f
one_hot         i, 3; j, 3; i, 2; i, 3, 1.0, 0.0; i, 3, 5, -1; i, 3, axis=0; n, 3; i, -1
                i, 3, Tensor(1.0), Tensor(0.0); i, 3, Tensor(1.0, ms.float16), Tensor(0.0, ms.float16)
ones            (2, 3); 3; (); (2,), ms.int32; (2, 2), dtype=ms.float16; (0, 2); (2,), dtype=ms.bool_
ones_like       x; x, dtype=ms.float32; x, dtype=ms.int32
outer           v, p; v, r; x, v
pad             x, (1, 1); x, (1, 0, 0, 2); x, [1, 2], value=1.5; a, (1, 1), 'reflect'; a, (1, 1), 'replicate'
                q, (1, 2, 3, 4); x, (1, 1), mode='constant', value=2
permute         x, (1, 0); a, (2, 0, 1); a, (0, -1, 1); x, (0, 0); x, (0,); v, (0,)
pow             x, y; x, 2; x, 3; x, 0.5; 2, x; 2.0, x; x, -1; x, 0; y, v; x, -2.5
prelu           q, v4
prod            x; x, 0; x, 1, True; x, axis=-1
range           0, 5, 1; 1, 10, 3
rank            x; s; a
reciprocal      x; y; p
reduce_max      x; x, 0; x, 1, True
reduce_mean     x; x, 0; x, 1, True; x, (0, 1)
reduce_min      x; x, 0; x, 1, True
reduce_sum      x; x, 0; x, 1, True; x, (0, 1); x, 5
relu            x; s; t
relu6           x; t
remainder       x, y; x, v; x, 2; x, 2.5; x, -2; 7, y
repeat_elements x, 2, 0
repeat_interleave  x, 2; x, 2, 0; x, 2, 1
reshape         x, (3, 2); x, (-1,); x, (6,); x, (2, -1); x, (4, 2); x, (-1, -1); s, (1, 1); a, (2, 12); x, 6
                x, [3, 2]
roll            x, 1; x, 1, 0; x, (1, 2), (0, 1)
rot90           x, 1, (0, 1); x, 2, [0, 1]
round           x; x, decimals=1
rsqrt           x; u; p
scatter         x, 1, n, y
scatter_nd      h, i, (2, 2)
searchsorted    e, x; e, x, right=True
select          m, x, y; m, x, 1; m, 1.0, y; m, x, 2.5; m, x, v; x, x, y
selu            x
sequence_mask   i, 3; l
shape           x; s; a
sigmoid         x; s
sign            x; t
silu            x; s
sin             x; s
sinh            x; u
size            x; s; a
slice           x, (0, 0), (1, 2); x, (1, 1), (1, 2)
smooth_l1_loss  x, y; x, y, 0.5; x, y, 1.0, 'mean'; x, y, reduction='sum'
soft_shrink     x
softmax         x; x, 0; x, axis=-2; x, 5; a, 1; x, dtype=ms.float32; x, (0, 1); s
softmin         x
softplus        x; x, 2; x, 1, 1
softshrink      x
softsign        x
sort            x; x, 0; x, 1, True; t
split           x, 1; x, 2, 1; x, [1, 2], 1; x, (1, 1); x, 2; x, [1, 1], 1; x, 5; x, split_size_or_sections=1, axis=-1
sqrt            x; u; p
square          x; s
squeeze         o; o, 0; o, (0, 2); x; x, 0; o, -1; o, 1; s
stack           [x, y]; (x, y), 1; [x, y], axis=-1; [x, v]; [v, v, v], 0; x; [x]; [s, s]; [x, f]
std             x; x, 0; x, 1, 1; x, axis=-1, ddof=0, keepdims=True; x, (0, 1); x, None, 1; x, 1, True
std_mean        x; x, 1
stop_gradient   x
strided_slice   x, (0, 0), (2, 2), (1, 1)
sub             x, y; x, v; x, 2; 2.5, x; x, True; x, r
subtract        x, y; x, y, alpha=2
sum             x; x, 0; x, dim=-1, keepdim=True; x, (0, 1); a, (0, 2); x, 5; x, dtype=ms.float32
                x, 0, dtype=ms.int32; x, ()
swapaxes        x, 0, 1; a, 0, -1; a, 1, 1; x, 0, 5; v, 0, 0
swapdims        x, 0, 1
take            x, i; x, i, 1
tan             x; u
tanh            x; s
tensor_dot      x, w, 1; a, b, ((2,), (1,))
tensor_scatter_add  x, h, v2
tensor_scatter_div  x, h, v2
tensor_scatter_elements  x, n, y, 1; x, n, y, axis=1, reduction='add'
tensor_scatter_max  x, h, v2
tensor_scatter_min  x, h, v2
tensor_scatter_mul  x, h, v2
tensor_scatter_sub  x, h, v2
tensor_scatter_update  x, h, v2
tensor_split    x, 2; x, 2, 1
threshold       x, 0.5, 2.0; x, 0, -1
tile            x, (2, 2); v, (2, 1); x, (2,); x, (1, 2, 2); s, (3,); x, 2; x, (0, 1)
top_k           x, 2; t, 2
topk            x, 2; x, 1, 0; x, 2, 1, False; t, 2
trace           z; x
transpose       x, (1, 0); a, (2, 0, 1); a, (0, -1, 1); x, (0, 0); x, (0,); v, (0,); a, (0, 1)
tril            x; x, 1; x, -1; a; v; z, diagonal=2
triplet_margin_loss  x, y, f; x, y, f, reduction='sum'
triu            x; x, 1; x, -1; a; v
true_divide     x, y; x, v; x, 2
trunc           x
unbind          x; x, 1; a, -1; v; x, 5
unique          x; t
unsorted_segment_max  x, i, 2
unsorted_segment_min  x, i, 2
unsorted_segment_prod  x, i, 2
unsorted_segment_sum  x, i, 2; x, j, 3
unsqueeze       x, 0; x, 1; x, -1; x, 3
unstack         x; x, 1; a, -1; x, 5
var             x; x, 0; x, 1, 1; x, axis=-1, ddof=0, keepdims=True; x, (0, 1); x, None, 1; x, 1, True
var_mean        x; x, 1
vsplit          x, 2; x, [1]
vstack          [x, y]; [v, v]
where           m, x, y; m, x, 1; m, 1.0, y; m, x, f; m, x, v; x > 0, x, 0; x > 0, x, 0.5; x, x, y; m, 1, 2
xlogy           x, p
zeros           (2, 3); 3; (); (2,), ms.int32; (2, 2), dtype=ms.float16; (0, 2); (2,), dtype=ms.bool_; [2, 3]
zeros_like      x; x, dtype=ms.float32; x, dtype=ms.int32
"""

# Names of functions whose values are drawn: their shapes and dtypes are compared.
DRAWN = """
rand            2, 3; 2; (2, 3); 2, dtype=ms.float16
randn           2, 3; 2; (2, 3); 2, dtype=ms.float16
randint         0, 5, (2, 3); 0, 5, (3,), dtype=ms.int32; 0, 5, 3
standard_normal (2, 3); (3,); 3
normal          (2, 3), 0.0, 1.0; (3,), Tensor(1.0), Tensor(2.0)
uniform         (2, 3), Tensor(0.0), Tensor(1.0)
rand_like       f
randint_like    f, 0, 5
randn_like      f
randperm        4
bernoulli       f * 0 + 0.5
dropout1d       f
dropout2d       q
dropout3d       q
gumbel_softmax  f
shuffle         f
multinomial     f * f, 2
rrelu           f
"""

METHODS = """
abs             ;
addbmm          a, b
addmm           x, z
addmm_          x, z
addmv           x, v
addr            v2, v
all             ; 0; axis=1, keep_dims=True
any             ; 0; axis=1, keep_dims=True
amax            ; 0; -1, True
amin            ; 0; -1, True
argmax          ; 0; axis=-1; 5; axis=1, keepdims=True
argmin          ; 0; axis=-1
argsort         ; 0
asnumpy         ;
astype          ms.float32; ms.int32; ms.bool_; ms.float16; ms.uint8; ms.float64; 'float32'; 'Float32'; np.float32
broadcast_to    (4, 2, 3); (2, -1); (3, 2)
ceil            ;
chunk           2; 2, 1
clamp           -1, 1; min=0; max=0.5
clip            -1, 1; 0; None, 0.5; min=-0.5, max=0.5; 1, -1;
copy            ;
cumprod         0
cumsum          0; -1
diagonal        ;
dim             ;
expand          4, 2, 3; (4, 2, 3); 2, -1
expand_as       Tensor(np.ones((4, 2, 3)))
expand_dims     0; -1; 3
fill            2
flatten         ; start_dim=1; start_dim=0, end_dim=1; 'C'; 'F'; 1
flip            0; (0, 1)
float           ;
floor           ;
floor_divide    2; y
gather          i, 0; i, 1
gather_elements 1, n
gt              0; y
half            ;
index_select    0, i
int             ;
isclose         y
item            ;
itemset         1
long            ;
lt              0; y
masked_fill     m, 0; m, 1.5; x > 0, -1
matmul          w; v
max             ; 0; axis=-1, keepdims=True; 5; None, False; axis=1, return_indices=True
maximum         y; 0
mean            ; 0; axis=-1, keep_dims=True; (0, 1); 5; 1, True
median          ;
min             ; 0; axis=-1, keepdims=True; axis=1, return_indices=True
minimum         y
mm              w
mul             y; 2
multiply        y
narrow          1, 0, 2
ne              0
nelement        ;
new_ones        (2,)
new_zeros       (2,)
norm            ;
numel           ;
numpy           ;
permute         1, 0; (1, 0); (-1, 0); 0, 0; [1, 0]
pow             2; y; 0.5; -1
prod            ; 0
ravel           ;
repeat          2; 2, 0
repeat_interleave  2; 2, 0
reshape         3, 2; (3, 2); -1; (6,); 2, -1; (4, 2); [3, 2]; ()
reshape_as      Tensor(np.ones((3, 2)))
resize          3, 2
roll            1, 0
round           ;
select          0, 1; 1, -1
scatter         1, n, y
sigmoid         ;
softmax         ; 0; axis=-1; 5
sort            ; 0
split           1; 2, 1; (1, 2), axis=1
square          ;
squeeze         ; 0; -1
std             ; 0; axis=1, ddof=1; 1, 0, True
sub             y; 2
subtract        y
sum             ; 0; axis=-1, keepdims=True; (0, 1); 5; axis=0, dtype=ms.float32; 1, None, True
swapaxes        0, 1; 0, -1; 0, 5
swapdims        0, 1
t               ;
take            i
tile            (2, 2); (2,)
to              ms.float32; ms.int32; ms.float16
tolist          ;
topk            2
trace           ;
transpose       ; 1, 0; (1, 0); 0, 1; (0, 1); (-1, 0); (0, 0); [1, 0]
tril            ; 1
triu            ; -1
true_divide     2
trunc           ;
type            ;
type_as         f
unbind          ; 1
unsqueeze       0; -1
value           ;
var             ; 0; axis=1, ddof=1; 1, 0, True
view            3, 2; (3, 2); -1; 4, 2; 2, 1, 3
view_as         Tensor(np.ones((3, 2)))
where           m, y; x > 0, 0
add             y; 2
div             y; 2
divide          y
eq              y
equal           y
ge              0
greater         y
le              0
less            y
logical_and     y
logical_not     ;
logical_or      y
bmm             w
baddbmm         a, b
diag            ;
fill_           2
index_put       (i,), y; (i, j), v2
masked_scatter  m, y
moveaxis        0, 1
movedim         0, 1
new_full        (2,), 1.5
scatter_div     h, v2
scatter_max     h, v2
scatter_min     h, v2
scatter_mul     h, v2
scatter_sub     h, v2
searchsorted    f
select_scatter  v, 0, 1
dot             w
erf             ;
exp             ;
log             ;
neg             ;
negative        ;
nonzero         ;
sqrt            ;
tanh            ;
sin             ;
cos             ;
rsqrt           ;
reciprocal      ;
sign            ;
relu            ;
detach          ;
clone           ;
contiguous      ;
isnan           ;
isinf           ;
isfinite        ;
logsumexp       0; 1, True
log_softmax     ; 0
"""

# shape, ndim and the like: what stands after ``x.``
PROPERTIES = "shape dtype ndim size itemsize nbytes T mT strides"

PRIMITIVES = """
Abs|  ACos|  Asin|  Atan|  Ceil|  Cos|  Cosh|  Sinh|  Erf|  Exp|  Expm1|  Floor|  Log|  Log1p|  LogicalNot|  Neg|
Reciprocal|  ReLU|  ReLU6|  Rint|  Round|  Rsqrt|  Sigmoid|  Sign|  Sin|  Softplus|  Softsign|  Sqrt|  Square|
Tan|  Tanh|  GeLU|  Gelu|  Elu|  HSwish|  HSigmoid|  Mish|  SeLU|  IsNan|  IsInf|  IsFinite|  ZerosLike|  OnesLike|
Identity|  StopGradient|  Size|  Rank|  Shape|  Erfc|  Trunc|  Inv|  L2Loss|
Add||x, y  Sub||x, y  Mul||x, y  Div||x, y  RealDiv||x, y  FloorDiv||x, y  FloorMod||x, y  Mod||x, y  Pow||x, y
Maximum||x, y  Minimum||x, y  Equal||x, y  NotEqual||x, y  Less||x, y  LessEqual||x, y  Greater||x, y
GreaterEqual||x, y  LogicalAnd||x, y  LogicalOr||x, y  LogicalXor||x, y  Atan2||x, y  SquaredDifference||x, y
DivNoNan||x, y  TruncateDiv||x, y  TruncateMod||x, y  Xlogy||x, p  BitwiseAnd||x, y  BitwiseOr||x, y  BitwiseXor||x, y
Add||x, 2  Sub||x, 2.5  Mul||2, x  Pow||x, 2  Maximum||x, 0  Less||x, 1  Add||x, v
MatMul||x, w  MatMul|transpose_b=True|x, y  MatMul|transpose_a=True|x, y  MatMul||a, b  MatMul|True, True|x, w
BatchMatMul||a, b  BatchMatMul|transpose_b=True|a, a  BatchMatMul||x, w  BatchMatMul|transpose_a=True|a, a
ReduceSum||x  ReduceSum||x, 0  ReduceSum|keep_dims=True|x, 1  ReduceSum||x, (0, 1)  ReduceSum||x, ()
ReduceMean||x  ReduceMean||x, 0  ReduceMean|True|x, 1  ReduceMax||x  ReduceMax||x, 0  ReduceMax|keep_dims=True|x, 1
ReduceMin||x  ReduceMin||x, 0  ReduceMin|keep_dims=True|x, -1  ReduceProd||x  ReduceProd||x, 0
ReduceAll||m  ReduceAll||m, 0  ReduceAny||m  ReduceAny||m, 1  ReduceAll||x
Cast||x, ms.float32  Cast||x, ms.int32  Cast||x, ms.bool_
Reshape||x, (3, 2)  Reshape||x, (-1,)  Transpose||x, (1, 0)  Transpose||a, (2, 0, 1)
ExpandDims||x, 0  ExpandDims||x, -1  Squeeze||o  Squeeze|0|o  Squeeze|axis=(0, 2)|o  Squeeze|0|x
BroadcastTo|(4, 2, 3)|x  BroadcastTo|shape=(2, -1)|v  Tile||x, (2, 2)  Tile||v, (2, 1)
Concat||(x, y)  Concat|1|(x, y)  Concat|axis=-1|[x, y]  Stack||(x, y)  Stack|axis=1|[x, y]  Unstack|axis=1|x  Unstack||x
Gather||x, i, 0  Gather||x, i, 1  Gather||x, j, 0  GatherD||x, 1, n  GatherNd||x, h
OneHot||i, 3, Tensor(1.0), Tensor(0.0)  OneHot|axis=0|i, 3, Tensor(1.0), Tensor(0.0)
OneHot||n, 3, Tensor(1.0), Tensor(0.0)
Select||m, x, y  Split|1, 3|x  Split|0, 2|x  Softmax||x  Softmax|0|x  Softmax|axis=-1|a  LogSoftmax||x  LogSoftmax|0|x
BiasAdd||x, v  BiasAdd||q, v4  Conv2D|out_channel=6, kernel_size=3|q, k  Conv2D|6, 3, pad_mode='same'|q, k
Conv2D|6, 3, pad_mode='pad', pad=1, stride=2|q, k  Conv2D|6, 3, group=2|q, g
MaxPool|kernel_size=2, strides=2|q  AvgPool|kernel_size=2, strides=2|q  MaxPool|3, 1, 'same'|q  AvgPool|3, 1, 'same'|q
Argmax||x  Argmax|axis=0|x  Argmin||x  ArgMaxWithValue|axis=1|x  ArgMinWithValue||x  CumSum||x, 0  CumProd||x, 1
CumSum|exclusive=True|x, 1  CumSum|reverse=True|x, 1  TopK||x, 2  Sort||x  Sort|axis=0, descending=True|x  Flatten||a
ReverseV2|[0]|x  Fill||ms.float32, (2, 2), 1.5  Eye||2, 3, ms.float32  Zeros||(2, 2), ms.int32  Ones||(2, 2), ms.float32
Slice||x, (0, 0), (1, 2)  StridedSlice||x, (0, 0), (2, 3), (1, 2)  Pad|((1, 1), (0, 2))|x  MaskedFill||x, m, s
LinSpace||Tensor(0.0), Tensor(1.0), 5  AddN||[x, y]  Tril||x  Triu||x  Diag||v  L2Normalize||x  PReLU||q, v4
SigmoidCrossEntropyWithLogits||x, u  SoftmaxCrossEntropyWithLogits||x, u  NLLLoss||x, l, p  SmoothL1Loss||x, y
BinaryCrossEntropy||u, u  KLDivLoss||x, u  LayerNorm||x, v, v  BatchNorm||q, p4, p4, p4, p4  Range||0, 5, 1
DepthToSpace|2|q  SpaceToDepth|1|q  ScatterNd||h, i, (2, 2)  UnsortedSegmentSum||x, i, 2  Meshgrid||(v, p)
Dropout|1.0|x
"""

NUMPY = """
abs             x
add             x, y; x, 2
amax            x; x, 0
amin            x
all             x; x, 0
any             x
append          x, y
arange          5; 2, 5; 1, 10, 3; 2.0; 0, 1, 0.25; 5, dtype=ms.int32
argmax          x; x, 0
argmin          x
array           [1.0, 2.0]; [1, 2]; x; [[True, False]]; 1.5; 3; [1, 2.5]; [1.0], ms.float16; np.arange(3)
                np.ones(2); ()
asarray         [1.0, 2.0]; [1, 2]; x; 3
average         x; x, 0
broadcast_to    v, (2, 3)
ceil            x
clip            x, -1, 1
concatenate     [x, y]; [x, y], 1
cos             x
cumsum          x; x, 0
diag            v
divide          x, y
dot             x, w; v, p
empty           (2, 3)
equal           x, y
exp             x
expand_dims     x, 0
eye             3; 2, 3; 2, dtype=ms.int32; 3, 3, 1
flip            x; x, 0
floor           x
full            (2, 3), 1.5; (2,), 3; (2,), True; (2,), 1, ms.float16
full_like       x, 2
greater         x, y
hstack          [x, y]
identity        2
inner           x, y
isfinite        x
isinf           x
isnan           x
less            x, y
linspace        0, 1, 5; 0, 1, 4, endpoint=False; 1.0, 2.0
log             u
log1p           u
log2            u
logical_and     m, m
logical_not     m
logspace        0, 2, 3
matmul          x, w
max             x; x, 0
maximum         x, y
mean            x; x, 0; x, 1, True
min             x
minimum         x, y
multiply        x, y
negative        x
norm            x
not_equal       x, y
ones            (2, 3); 3; (2,), ms.int32
ones_like       x
outer           v, p
pad             x, 1
power           x, 2; x, y
prod            x
ravel           x
reciprocal      y
repeat          x, 2; x, 2, 0
reshape         x, (3, 2)
roll            x, 1
round           x
sign            x
sin             x
sqrt            u
square          x
squeeze         o
stack           [x, y]; [x, y], 1
std             x; x, 0
subtract        x, y
sum             x; x, 0; x, 1, keepdims=True
swapaxes        x, 0, 1
take            x, i
tan             x
tanh            x
tensordot       x, w, 1
tile            x, (2, 2)
trace           z
transpose       x
tri             3
tril            x
triu            x
true_divide     x, y
trunc           x
unique          x
var             x; x, 0
vstack          [x, y]
where           m, x, y
zeros           (2, 3); 3; (2,), ms.int32; (0,)
zeros_like      x
split           x, 2
"""
NUMPY_DRAWN = """
rand            2, 3; 2
randn           2, 3; 2
randint         0, 5, (2, 3); 5; 0, 5, (3,), ms.int64
"""
