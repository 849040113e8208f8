"""The reasons for differing answers: reasons in minigraph, and the list of all, in the order of their priority."""

from tests.differential.reason import DELIBERATE, ROUNDING, either, reasons, values
from tests.differential.reasons_mindspore import MINDSPORE_CANNOT, MINDSPORE_IS_WRONG

REFUSED_ON_PURPOSE = reasons(DELIBERATE, {
    "a number that the dtype cannot hold is refused, not wrapped around":
        {"kind": "only minigraph", "ours": "does not fit into"},
    "there is no value of a tensor while tracing":
        {"case": r"\| jit", "kind": "only minigraph|text", "ours": "TraceError|known when the graph runs"},
    "an operation of a tensor and an ndarray is refused: the result would leave the graph":
        {"case": r"np\.ones", "kind": "only minigraph", "ours": r"numpy\.ndarray"},
    "bools have no difference, quotient or remainder: cast them":
        {"kind": "only minigraph", "ours": "(sub|floor_div|floor_mod|fmod|sign): needs .*got bool"},
    "bmm is for batches of matrices, stack and concat for several tensors; others are refused":
        {"kind": "only minigraph", "ours": "bmm: needs two tensors of rank 3|must be a tuple or list of tensors"},
    "labels must fit the logits":
        {"case": "cross_entropy|nll_loss", "kind": "only minigraph",
         "ours": "labels of shape|does not exist in a tensor"},
    "the maximum of no elements is refused": {"kind": "only minigraph", "ours": "zero-size array"},
    "a reduction of a number takes no axis": {"kind": "only minigraph", "ours": "tensor of rank 0"},
    "a fraction is not written into integers, and t needs a matrix":
        {"kind": "only minigraph", "ours": "masked_fill: 1.5 into|t: needs at most two axes"},
    "a tensor has no text, and equals none": {"case": "'a'", "kind": "only minigraph"},
    "shifts by fractions are refused": {"case": r"bitwise_\w+_shift", "kind": "only minigraph"},
    "Tensor.type is a property, the type with the shape": {"case": r"^Tensor\.type ", "kind": "only minigraph"},
    "gcd and lcm are for integers": {"kind": "only minigraph", "ours": "(gcd|lcm): needs integer"},
    "x[False] is refused for writing as for reading": {"case": r"\[False\] =", "kind": "only minigraph"},
    "a wrong shape, axis or index is a ValueError or IndexError in every operator and mode":
        {"kind": "error class", "ours": "^(ShapeError|AxisError|RangeError|IndexError)"},
    "two arguments are wrong, and the other one is reported":
        {"kind": "error class", "ours": "^(TypeError|DTypeError|UsageError|ValueError|TraceError)"},
})  # fmt: skip

ACCEPTED_ON_PURPOSE = reasons(DELIBERATE, {
    "a list or tuple is a tensor for every operator":
        {"kind": "only MindSpore|type", "case": r"\[1, 2, 3\]|\(1\.0, 2\.0, 3\.0\)|\[1\.0, 2\.0, 3\.0\]"},
    "a number may be either operand of & | ^, as in Python":
        {"kind": "only MindSpore", "theirs": r"unsupported operand type\(s\) for [&|^]"},
    "a Python number, an int for a 1-tuple, or a default is accepted where MindSpore requires more":
        {"kind": "only MindSpore", "theirs": either(
            "Failed calling", "missing 1 required", "must be a tuple", "positional arguments", "must be tensor",
            "must be (a )?Tensor", "input must be a Int", "list or tuple of tensors", "must be all tensor",
            "type of '[a-z_]+' should be", "must be an int type", "expect Tensor, but got",
            "'scale_factor' option cannot currently be set", "Data type conversion is not supported for a 'Parameter'",
            "'pad' must be zero", "'margin' must be int", "shape of inputs should be the same",
            "'block_size' should be", "symmetric positive definite",
            "not callable",
        )},
    "bools become integers where MindSpore refuses them": {"case": r": bool\[", "kind": "only MindSpore"},
    "losses and biases promote and broadcast their operands":
        {"kind": "only MindSpore",
         "theirs": "input type must be same|shape are not equal|the x shape|should be same as|must equal to updates"},
    "labels of any integer dtype are accepted": {"kind": "only MindSpore", "theirs": "should be Int32"},
    "ndarrays and ranges are accepted as data": {"case": r"Tensor\(range|mnp\.array\(np", "kind": "only MindSpore"},
    "more axes are accepted, and ranges that are not finite":
        {"kind": "only MindSpore", "theirs": either(
            "two or fewer dimensions", "must be equal", "is not finite", "is invalid, which", "at least 2 dimension",
            "rank of", "rank must be", "must be 1-D", "shape of src", "src shape", "can not be smaller",
            "must equal to", r"greater than \(p-1\)", "length of 'shape' must be 2",
            "must be divisible by output size", "must has 3 dim",
        )},
    "a function of jit whose shapes depend on values runs op by op":
        {"case": r"numpy\.bincount \| jit", "kind": "only MindSpore", "theirs": "must be provided in graph mode"},
    "a keep_prob of 0 and a delta of 0 are accepted":
        {"kind": "only MindSpore", "theirs": "keep_prob|delta cannot be positive"},
})  # fmt: skip

OTHER_VALUES_ON_PURPOSE = reasons(DELIBERATE, {
    "eigenvalues are in LAPACK's order, and reflections have LAPACK's signs":
        values(r"((ops|Tensor)\.(eigvals|geqrf)|primitive\.(Eig|Geqrf)) "),
    "a NaN propagates to the result": {"case": r"\[\d+\] edges", "kind": "values", "ours": "nan"},
    "argmax and argmin give the position of a NaN if there is one": values(r"\.arg(max|min)\(.*edges"),
    "a NaN is on neither side of a bound: its gradient is undefined":
        values(r"gradient .*\[\d+\] edges"),
    "functions with fractional results convert integers to floats, and losses of integers sum to Int64":
        {"case": r"\.(leaky_relu|clip_by_value|hard\w+|selu|threshold|addcdiv|nll_loss|l1_loss)\(", "kind": "dtype"},
    "nested lists index one axis, as in numpy; MindSpore uses one list per axis": {"case": r"\[\[\[0, 1"},
    "acosh is undefined below 1, and so is its gradient": values(r"(arccosh|Acosh) .*gradient"),
    "lp_pool2d: the norm of a window at the border is that of its elements": values(r"lp_pool2d .*ceil_mode"),
    "0 and -0 are one element to unique": {"case": r"ops\.unique.*edges"},
    "quotients and remainders by infinity are those of Python": {"case": "x (//|%) 1e30"},
    "the derivative of 0 ** 0 is 0; that of a division by 0 is undefined":
        {"case": " ties|x / 0", "kind": "values", "theirs": "nan|inf"},
    "equal numbers share the gradient of fmax, AdaptiveMaxPool1d, a ranking loss; a 0 has its sign":
        {"case": "(fmax|fmin|AdaptiveMaxPool1d|margin_ranking_loss|multi_margin_loss|copysign) .*gradient",
         "kind": "values"},
    "ms.numpy: functions with fractional results give Float32 for bools, ceil and norm keep float16, trace counts":
        {"case": r"numpy\.(a?(rc)?(sin|cos|tan)h?2?|ceil|norm|trace) ", "kind": "dtype"},
    "ms.numpy: unique is sorted, as numpy's is": values(r"numpy\.unique "),
    "the name of a type is a string, and a tuple of arrays a tensor": {"case": "typeof|tuple_to_array"},
    "a number is truncated to an integer tensor's dtype after the addition, not before":
        values(r"Tensor\.\w+_ \| jit .*\(2\.5\).*i32"),
    "searchsorted needs sorted rows": values(r"Tensor\.searchsorted"),
    "gradients reach given statistics, too": values(r"ops\.batch_norm.*f32"),
    "integers divided by 0, or out of range: the value is undefined":
        {"case": "i32|i64|i16|i8|u8|bool", "kind": "values",
         "theirs": "214748364[78]|1073741824|9223372036854775|32768|32767|127|128|255"},
})  # fmt: skip

DIFFERENT_ROUNDING = reasons(ROUNDING, {
    "Adam's bias correction: MindSpore's powers of beta are float32": values(r"nn\.(Lazy)?Adam"),
    "float16 rounds or overflows in other steps of the computation":
        values(r"(gradient|logits|cdist|trapz|renorm|grid_sample|soft_margin_loss|\.std|hypot).*: f16\["),
    "terms of a gradient cancel up to rounding":
        values("gradient.*(BatchNorm1d|x / x|addcdiv|Transformer|mnp.sign|matrix_solve|Addcdiv)"),
    "MindSpore's exp is an approximation, 4e-6 off": values("gradient.*softmax"),
    "bytes near a half: blended colors, and gray levels of files, are one off":
        values("^dataset.vision.(AdjustSaturation|ImageReadMode) "),
    "squares of large numbers, and the signs of singular vectors": values("softsign|svd"),
    "str is numpy's, and versions of numpy write float16 differently": {"case": r"str\(x\).*f16"},
})  # fmt: skip

REASONS = (
    *MINDSPORE_CANNOT,
    *MINDSPORE_IS_WRONG,
    *REFUSED_ON_PURPOSE,
    *ACCEPTED_ON_PURPOSE,
    *OTHER_VALUES_ON_PURPOSE,
    *DIFFERENT_ROUNDING,
)


def reason_of(difference):
    """The first reason that covers a difference, or ``None``."""
    return next((reason for reason in REASONS if reason.covers(difference)), None)
