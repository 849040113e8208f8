"""Machine constants, nearly all of them of the accelerator, grouped by kernel: cache sizes and measured thresholds.

A cache line has 64 bytes; a current core has at least 32 KB of L1 and 1 MB of L2 cache (AMD Zen 4, Intel since Ice
Lake). Constants marked "measured" were measured on one core of an AMD Zen 4 with OpenBLAS 0.3.31 and one thread, in
float32. A wrong constant costs time; it changes no bits beyond those that ``minigraph.accel.tolerances`` allows.
"""

# ---- matrix products -----------------------------------------------------------------------------------
SMALL_PRODUCT_MACS = 10**6  # up to here OpenBLAS multiplies without packing: interface/gemm.c, small matrix kernels
MIN_THREADED_MACS = 1 << 18  # above this OpenBLAS uses its threads: interface/gemm.c, SMP_THRESHOLD_MIN times 4
# Up to here one thread is about as fast as two. Measured on two cores of a Zen 4, best of 80 runs, one thread / two:
# 64x64 @ (128x64).T 15 / 28 us, 196x32 @ 32x196 29 / 79, 128x128 @ 128x64 23 / 16, 128x128 @ 128x128 43 / 55; above,
# 32x256 @ 256x384 73 / 64, 128x256 @ 256x256 167 / 95. While other processes kept the machine busy, a tenth of the
# runs of the first took 23,000 us and more on two threads, but 20 us on one.
MAX_ONE_THREAD_MACS = 1 << 21  # see above

# ---- im2col columns of convolutions -------------------------------------------------------------------
COLUMN_TILE_BYTES = 1 << 19  # of a block of columns: half of the L2 cache, so that BLAS still finds them there
ADDED_BLOCK_BYTES = 4 * COLUMN_TILE_BYTES  # of a block of columns that col2im adds, which BLAS does not read; measured
MIN_COLUMNS = 512  # of a block; each block reads all kernels again; measured
PRODUCTS_PER_COPY = 8  # products that cost as much as copying one element in a short run, not a long one; measured

# ---- CHWN (batch-innermost) layout ---------------------------------------------------------------------
MIN_IMAGES_IN_CHWN = 16  # batch size from which the innermost axis fills a cache line of float32
CACHE_LINE_FLOATS = 16  # float32 elements of one cache line
CACHE_PERIOD_BYTES = 512  # addresses at multiples of this distance map to at most an eighth of the sets of L1
L1_COPY_BYTES = 7 << 12  # a working set that stays in an L1 cache of 32 KB while it is reread
SHORT_ROW_PIXELS = 12  # output pixels of a row that is too short for efficient copies; measured
LONG_ROW_PIXELS = 32  # output pixels of a row up to which CHWN may still pay, measured, if also:
MIN_COPIES_PER_TRANSPOSED_ELEMENT = 3  # at least this many elements are copied per transposed element,
MAX_COPIED_TAPS = 128  # a kernel has at most this many taps, so that copies, not products, take the time,
MAX_TRANSPOSED_ELEMENTS = 1 << 19  # and at most this many elements are transposed, so that they stay in the cache
MIN_PIXEL_RESULTS = 16  # results at one pixel from which the matrix is not narrow; measured
MAX_ROW_ELEMENTS = COLUMN_TILE_BYTES // 4  # elements in the columns of one output row, mostly float32

# ---- error function ------------------------------------------------------------------------------------
ERF_BLOCK_ELEMENTS = 1 << 13  # computed at a time, so that intermediate results stay in L2; 2.5 times as fast on 1M

# ---- select --------------------------------------------------------------------------------------------
MIN_MASKED_SELECT_ELEMENTS = 1 << 12  # size from which a ``where`` by bit masks pays; measured

# ---- pooling -------------------------------------------------------------------------------------------
POOL_TILE_BYTES = 1 << 19  # half of the L2 cache
MIN_BLOCKED_POOL_BYTES = 4 * POOL_TILE_BYTES  # size of images from which blocks pay; measured

# ---- loop tiling of large elementwise steps ------------------------------------------------------------
MIN_TILED_BYTES = 1 << 19  # size of a tensor from which tiling pays: half of the L2 cache
MIN_TILE_BYTES = 1 << 17  # a numpy call on a tile of this size takes 20 times its call overhead
LIVE_TILES_BYTES = 1 << 22  # of all tiles that are live at a time: the L2 cache and a share of L3
MIN_TILES = 8  # per tensor, unless tiles would be smaller than ``MIN_TILE_BYTES``
TILES_PER_THREAD = 4  # for load balancing: other threads take over the tiles of a delayed one

# ---- buffers of programs -------------------------------------------------------------------------------
CACHE_LINE_BYTES = 64  # on every processor that numpy has wheels for, except some Arm ones with 128
MIN_BATCHED_SUM_TERMS = 8  # terms of a sum from which batching the additions pays; measured
MAX_BATCHED_TERM_BYTES = 1 << 12  # size of a term up to which call overhead dominates an addition; measured
MIN_CHWN_BYTES = 1 << 14  # size of images from which CHWN is considered; measured

# ---- guards and segments of compiled functions ---------------------------------------------------------
MAX_BYTES_COPY = 1 << 12  # size of arrays that are compared as Python's bytes: 0.3 us instead of numpy's 5 us; measured
MIN_OPERATOR_CALLS = 2  # of a segment between graph breaks; one with fewer operators is faster op by op

# ---- threads -------------------------------------------------------------------------------------------
MIN_THREADED_BYTES = 1 << 25  # written in about 4 ms; waking a thread takes about 0.1 ms

# ---- loops compiled by numba ---------------------------------------------------------------------------
MIN_LOOP_NODES = 3  # nodes from which a compiled loop pays: fewer tiled numpy calls are as fast; measured
MIN_SMALL_LOOP_NODES = 6  # the same for small tensors: calling a loop costs as much as this many numpy calls
NODES_PER_SMALL_ARRAY = 1.5  # per array: passing one array to a loop costs as much as this many calls; measured
SMALL_RESULT_BYTES = 1 << 14  # size of a result up to which call overhead, not memory traffic, dominates
MAX_LOOP_NODES = 64  # per loop: compile time grows faster than the size of the source
COMPILE_AFTER_SECONDS = 0.3  # that a loop has run in numpy: about as long as compiling it takes
STRIP_ELEMENTS = 2048  # of a strip: several arrays of this size fit into L1
CACHED_ROW_BYTES = 1 << 18  # size of a reduced row up to which a second pass over it hits the cache
