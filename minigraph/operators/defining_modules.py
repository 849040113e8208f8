"""The operators that each module defines: ``TABLE`` imports a module when one of its operators is first looked up."""

OPERATORS_BY_MODULE = {
    "minigraph.ir.structural_ops": "input const parameter fused",
    "minigraph.operators.linalg": "matmul condition_number",
    "minigraph.operators.regions": "cond while_loop while_grad scan",
    "minigraph.operators.host": "host host_print",
    "minigraph.operators.pyfunc": "pyfunc",
    "minigraph.operators.elementwise": (
        "add sub mul div floor_div floor_mod pow maximum minimum neg abs sign bitwise_and bitwise_or bitwise_xor "
        "square exp expm1 log log1p sqrt rsqrt reciprocal tanh sin cos tan sinh cosh asin acos atan floor ceil "
        "round cast"
    ),
    "minigraph.operators.random": "random_normal random_uniform random_integer",
    "minigraph.operators.comparison": (
        "equal not_equal less less_equal greater greater_equal logical_not logical_and logical_or logical_xor "
        "isnan isinf isfinite where"
    ),
    "minigraph.operators.creation": "full arange eye",
    "minigraph.operators.indexing": "index index_add",
    "minigraph.operators.joining": "concat stack split pad",
    "minigraph.operators.views": "identity stop_gradient reshape flatten expand_dims squeeze transpose broadcast_to",
    "minigraph.operators.reduce": "sum sum_rows mean max min first_max first_min all any prod argmax argmin sum_to",
    "minigraph.operators.special": "erf",
    "minigraph.operators.activation": "relu sigmoid gelu silu softplus softmax log_softmax logsumexp",
    "minigraph.operators.losses": "one_hot cross_entropy_grad cross_entropy",
    "minigraph.operators.conv": "conv2d conv2d_input_grad conv2d_weight_grad",
    "minigraph.operators.norms": "normalize layer_norm batch_norm batch_norm_train",
    "minigraph.operators.effects": "assign new_value print depend",
    "minigraph.operators.matrix": "det log_abs_det det_sign inverse cholesky",
    "minigraph.operators.contraction": "einsum",
    "minigraph.operators.complex": "real imag conj angle",
    "minigraph.operators.elementary": (
        "log2 log10 exp2 asinh acosh atanh atan2 erfinv trunc fmod copysign signbit gcd lcm invert "
        "bitwise_left_shift bitwise_right_shift"
    ),
    "minigraph.operators.ordering": "argsort cumsum cumprod cummax_at cummin_at",
    "minigraph.operators.chwn": (
        "to_chwn to_nchw conv2d_chwn conv2d_input_grad_chwn conv2d_weight_grad_chwn "
        "max_pool2d_chwn max_pool2d_grad_chwn"
    ),
    "minigraph.operators.pooling": "windows windows_add max_pool2d_grad max_pool2d avg_pool2d",
    "minigraph.operators.scatter": "scatter_sum",
    "minigraph.operators.custom_gradient": "custom_gradient",
    "minigraph.operators.fractal_nz": "to_nz to_nd",
    "minigraph.operators.set_item": "set_item",
}
