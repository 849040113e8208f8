"""Reasons in MindSpore: missing kernels or names, and defects."""

from tests.differential.reason import CANNOT, DEFECT, EMPTY, either, reasons, values

MINDSPORE_CANNOT = reasons(CANNOT, {
    "no kernel on a CPU for this dtype or rank":
        {"kind": "only MindSpore|error class", "theirs": either(
            "Unsupported (data type|op)", "KernelMod Init Failed", "[Cc]reate kernelmod", "Select CPU operator",
            "must be a type of", "does not support this kernel data type", r"must be in \{Bool, Int32",
            "only support decimals equal 0", "unsupported reduce operation", r"should be one of \[",
            "doesn't support", "Launch kernel failed", "Resize failed", "unregistered", "bad_function_call",
            "supports types", r"must be \[Float", "input must be float", "bprop not defined",
            "data type must be in", "type should be", "not supported on this device", "-{20}",
            "must not be float64", r"alpha must be 1\.0f", "check range left", "dimension >= 2",
            "input_x dim must be in", "size must be greater", "should be one-dimensional", "support Ascend only",
            "floating point dtype", "dtype of '?input'? ", "should not come here", "input dtype must be",
            "must belong to", "no attr:__infer__", "matching evaluator", "tuple_get_item must have", "Output_idx 0",
            "pointer.* is null", "Parse Lambda Function Fail", "Type Join Failed", "LpNorm", "is none tensor",
            "Invalid seq_lengths", "input shape is zero", "MatrixDiagV3", "supported type is in the list",
            "index out of range", "cannot get item by index", "unexpected keyword argument",
            "inputs number should be", "same and belong to", "must have the same data type with", "^hangs",
            "dtype of two args should be", "only support Int(32|eger)", "Response is empty", r"before Open\(\)",
            "should be RowTensor",
        )},
    "the name does not exist": {"kind": "only MindSpore", "theirs": "^AttributeError"},
    "the method or keyword exists, but not inside of jit":
        {"case": r"\| jit", "kind": "only MindSpore|error class", "theirs": either(
            "number of provided arguments", "doesn't implement", "Unsupported Constant", "not supported in 'construct'",
            "have return node", "Miss argument input", "not subscriptable", "does not support", "Failed to compile",
            "Signature length", "Type Join Failed", "deprecated Tensor method", "framework's unexpected",
            "list index out of range", "not supported in Graph mode",
        )},
    "no kernel for tensors without elements":
        {"case": EMPTY, "kind": "only MindSpore", "theirs": either(
            "memcpy", "out of bounds", "fast stride", "loop_size", "width should", "greater than 0", "empty",
            "output_num", "must hava? value", "must have value", "with all positive item",
        )},
    "writes at indices with a negative step":
        {"case": "set index", "kind": "only MindSpore", "theirs": "indices out of range"},
    "the gradient of slices with a negative step or without elements":
        {"kind": "only MindSpore", "case": "index|select|diagonal|flip|rot90",
         "theirs": "The int value|StridedSliceGrad|InplaceCopy|device address is null"},
    "the gradient of interp": {"case": r"numpy\.interp \| .*gradient", "kind": "only MindSpore|values"},
})  # fmt: skip

MINDSPORE_IS_WRONG = reasons(DEFECT, {
    "results without elements hold uninitialized memory, or have another shape":
        {"case": EMPTY, "kind": "values|shape|length"},
    "the median of no elements is uninitialized memory":
        {"case": rf"ops\.nanmedian .*{EMPTY}", "kind": "only minigraph"},
    "topk of a row with a NaN is not sorted, and leaves out larger elements": values(r"\.top_?k\(.*edges"),
    "Tensor.choose returns a tensor of choices unchanged, with fractions truncated":
        {"case": r"Tensor\.choose .*x\.choose\([yv]\)"},
    "in jit Tensor.max and min of an axis give values only":
        {"case": r"Tensor\.(max|min) \| jit .*x\.(max|min)\([0-9]", "kind": "type"},
    "in jit the gradient of sub_ by what is subtracted is 0": values(r"Tensor\.sub_ \| jit gradient"),
    "clip_by_norm takes the norm of integers in integers, clip_by_global_norm converts numbers to vectors":
        {"case": r"ops\.clip_by_(global_)?norm"},
    "in jit approximate_equal and 7 ** -3 have another type; a window of one number is Float64":
        {"case": r"(approximate_equal|scalar_pow|mvlgamma) \| jit|hamming_window\(1\)", "kind": "type|dtype"},
    "the slope of igamma by its first operand is exact to five digits only":
        values(r"primitive\.Igammac? \| .*gradient"),
    "NormalizePad writes the channel of zeros behind the others": values(r"dataset\.vision\.NormalizePad "),
    "ops.full truncates the fill value to Int64": {"case": r"ops\.full\(", "kind": "dtype"},
    "any reads a float32 whose lowest byte is 0 as zero": values(r"\.any\(x?\) \| x: f32.* ties"),
    "mint.any of integers misses some, and the gradient of mint.real is complex":
        {"case": r"^mint\.(any|real) .*(i64|gradient)", "kind": "values|dtype"},
    "any of UInt8 is not Bool, argmin of a number not Int32; some methods have their own dtype":
        {"case": r"\.(any|argmin)\(|Tensor\.(cumsum|trace) ", "kind": "dtype"},
    "the variance of integers is computed with their mean truncated to an integer":
        values(r"Tensor\.(std|var) .*(i32|u8)|numpy\.(std|var) .*i64"),
    "RealDiv, inv, HSwish and similar operators truncate their results for integers":
        {"kind": "dtype",
         "case": r"RealDiv|primitive\.(HSigmoid|HSwish|Inv|SeLU) |(ops|x)\.inv\(|mnp\.reciprocal|ops\.tensor_div"},
    "methods that write in place do nothing in PyNative mode, some not in jit":
        values(r"Tensor\.\w+_ \| (pynative|gradient)|Tensor\.(sub|masked_fill|scatter)_ \| jit"),
    "float16 is signed, sinc of 0 is 1, and -0 has its sign": values(r"\.(is_signed|sinc|Sinc|signbit)\("),
    "in jit nan_to_num replaces infinite float64 by the largest float32": values(r"\.nan_to_num \| jit.* f64"),
    "logsigmoid, mish and logit overflow, or have no gradient, far from 0": values(r"\.(logsigmoid|mish|logit)\("),
    "a quotient loses the sign of a zero divisor":
        {"kind": "values", "theirs": "inf", "case": r"(/|%|\.(div|divide|true_divide|log\w*|rsqrt)\().*edges"},
    "Momentum ignores use_nesterov on a CPU": {"case": r"nn\.Momentum.*use_nesterov"},
    "the gradient of a reversed row is zero, and that of the operands of convolve and select":
        values(r"^(index|numpy\.(fliplr|convolve|polymul|select)) \| .*gradient"),
    "the gradient of Cholesky factors is that of another matrix; iou and slices added in place have none":
        values(r"\.(cholesky_\w+|Cholesky\w+|InplaceUpdate(V2)?|inplace_\w+|iou|make_tuple) .*gradient"),
    "the gradient of some primitives and losses is no derivative, or stops at weights and statistics":
        {"case": r"(primitive\.(Mod|MulNoNan|NLLLoss|ReduceProd|KLDivLoss|LayerNorm|SeLU|BCEWith\w+|Sigmoid\w+"
         r"|SparseS\w+)|nn\.CTCLoss) .*gradient"},
    "the statistics of a float64 LayerNorm are Float32, those of BatchNorm are uninitialized":
        {"case": r"primitive\.(LayerNorm|BatchNorm) ", "kind": "dtype|values"},
    "in PyNative mode the gradient of jvp is another one than in jit": {"case": r"ops\.jvp \| gradient"},
    "multilabel_soft_margin_loss overflows, and its gradient forgets a factor where it broadcasts":
        values(r"multilabel_soft_margin_loss\(.*(f32\[3\]|large)"),
    "select of ms.numpy cuts Int64 to Int32; in jit it and ravel_multi_index give other numbers":
        {"case": r"numpy\.(select|ravel_multi_index \| jit)", "kind": "values|dtype"},
    "ms.numpy: bools are converted to other numbers by nanmean, nanvar, corrcoef, and cbrt of 0 is NaN":
        {"case": r"numpy\.(nan(mean|std|var|sum)|corrcoef|cbrt) .*bool", "kind": "values|dtype"},
    "SeLU's gradient below 0 is not its derivative": {"case": r"(nn\.SeLU|ops\.selu) .*gradient"},
    "the gradient of a loss stops at its second operand, or is not the derivative of its formula":
        values(r"(nn\.KLDivLoss|ops\.kl_div|ops\.binary_cross_entropy_with_logits) .*gradient"),
    "the gradient of scatter reaches elements that were written over":
        values(r"(scatter\w*|TensorScatterElements) .*gradient"),
    "a gradient has another shape or dtype than its operand":
        {"case": r"(masked_fill|lerp|conv3d_transpose|std_mean|var_mean|real|matrix_solve|MatrixSolve"
         r"|binary_cross_entropy_with_logits) .*gradient", "kind": "shape|dtype"},
    "the gradient of SoftmaxCrossEntropyWithLogits takes labels for probabilities, and stops at them":
        values("gradient.*SoftmaxCrossEntropyWithLogits"),
    "the gradient of cross_entropy with weights, and of the inverse of a conjugate: ours are the finite differences":
        values(r"(cross_entropy|MatrixInverse) .*gradient.*(x, l, p|adjoint=True)"),
    "in jit block_diag writes blocks of several dtypes wrongly": {"case": r"block_diag \| jit"},
    "the gradient of renorm of no elements": {"case": r"renorm \| .*gradient", "kind": "only MindSpore"},
    "the gradient of a number has a shape of its own": {"case": r"ops\.(std|var) .*gradient", "kind": "shape"},
    "in jit the gradient of number % x is 0": values(r"operator % \| jit gradient.*[0-9e] % x"),
    "in jit not x is a tensor": {"case": r"operator not \| jit", "kind": "type"},
    "in jit two ints of transpose are a permutation": {"case": r"Tensor\.transpose \| jit", "kind": "shape"},
    "in jit concat joins integers and floats, to wrong numbers":
        {"case": r"ops\.(cat|concat) \| jit", "kind": "only minigraph", "ours": "different dtypes"},
    "in jit an f-string shows another text, a dict becomes a tuple, and numbers become Int32":
        {"case": r"\| jit", "kind": "text|dtype|only minigraph", "theirs": either(
            r"^str 'Tensor\(shape=\[\], dtype=Float32, value=2", r"^str '\(Tensor", "^Int32", r"^Float32\[\] 1$",
            r"^Int64\[\] 7$",
        )},
    "in jit the gradient of an unchanged number is a Python float":
        {"case": r"dropout \| jit", "kind": "type"},
    "in jit an empty arange crashes the process": {"theirs": "^crashes"},
    "in jit x[1.0] = 5 writes at 1": {"case": r"set index \| jit.*\[1\.0\]", "kind": "only minigraph"},
    "in jit a tensor is found in a list without an equal one": {"case": r"Tensor \| jit.* in \["},
    "the logarithm of an empty sum is the lowest number, not -infinity": values("CumulativeLogsumexp"),
    "Bessel functions lose digits of large numbers, and the gradient of bessel_i1 counts 0 twice":
        values(r"(ops\.bessel_|primitive\.Bessel).*(large|ties)"),
    "the gradient of fftshift of an odd size shifts by one element too many; ihfft of large numbers is conjugated":
        values(r"ops\.(i?fftshift \| gradient|ihfft2? \| pynative)"),
    "in jit argmax without an axis counts along the last one": {"case": r"Tensor\.argmax \| jit", "kind": "shape"},
})  # fmt: skip
