"""What the accelerator assumes of a machine, grouped by who asks: sizes of caches, and measured figures.

A cache line has 64 bytes, and a usual core of today at least 32 KB of first-level and 1 MB of second-level cache
(AMD Zen 4, Intel since Ice Lake). Figures that say "measured" are from a core of AMD's Zen 4 with OpenBLAS 0.3.31 and
one thread, in float32; a wrong one costs time, never bits beyond those that ``minigraph.accel.tolerances`` allows.
"""

# ---- products of matrices ------------------------------------------------------------------------------
SMALL_PRODUCT_MACS = 10**6  # up to which OpenBLAS multiplies where matrices lie: interface/gemm.c, small matrix kernels
MIN_THREADED_MACS = 1 << 18  # above which it asks its threads: interface/gemm.c, SMP_THRESHOLD_MIN times 4
# Up to which one thread is about as fast as two. Measured with two cores of Zen 4, the fastest of 80 rounds, one
# thread / two: 64x64 @ (128x64).T 15 / 28 us, 196x32 @ 32x196 29 / 79, 128x128 @ 128x64 23 / 16, 128x128 @ 128x128
# 43 / 55; above, 32x256 @ 256x384 73 / 64, 128x256 @ 256x256 167 / 95. Beside busy neighbours a tenth of the first
# took 23,000 us and more on two threads, and 20 on one.
MAX_ONE_THREAD_MACS = 1 << 21  # see above

# ---- columns of convolutions ---------------------------------------------------------------------------
COLUMN_BLOCK_BYTES = 1 << 19  # half of a second-level cache, so that columns are still there when BLAS reads them
MIN_COLUMNS = 512  # of a block, for each of which all kernels are read; measured
PRODUCTS_PER_COPY = 8  # that take as long as copying a number in a short run instead of in a long one; measured

# ---- images in CHWN ------------------------------------------------------------------------------------
MIN_IMAGES_IN_CHWN = 16  # whose pixels at one place are a run of memory worth copying: a cache line of float32
CACHE_LINE_NUMBERS = 16  # float32 of one cache line
CACHE_PERIOD_BYTES = 512  # numbers such multiples apart share an eighth of the sets of a first-level cache, or fewer
L1_COPY_BYTES = 7 << 12  # that stay in a first-level cache of 32 KB while they are read again and again
SHORT_ROW_RESULTS = 12  # in a row that is no long run of memory; measured
LONG_ROW_RESULTS = 32  # in a row up to which CHWN may pay nevertheless, measured,
COPIES_PER_TRANSPOSED = 3  # where there is so many times as much to copy as to transpose,
MAX_COPIED_TAPS = 128  # no more numbers under a kernel, so that the copies take time, not the products,
MAX_TRANSPOSED_NUMBERS = 1 << 19  # and no more numbers to transpose, so that they are still in the cache
MIN_UPRIGHT_RESULTS = 16  # at a place that are no narrow row of a matrix; measured
MAX_ROW_NUMBERS = COLUMN_BLOCK_BYTES // 4  # in the columns of a row of results, which are float32 mostly

# ---- choices -------------------------------------------------------------------------------------------
MIN_BLENDED_ELEMENTS = 1 << 12  # from which a choice by bits pays

# ---- pooling -------------------------------------------------------------------------------------------
POOL_BLOCK_BYTES = 1 << 19  # half of a second-level cache

# ---- tiles of large elementwise steps ------------------------------------------------------------------
MIN_TILED_BYTES = 1 << 19  # of a tensor, from which tiles pay: half of a second-level cache
MIN_TILE_BYTES = 1 << 17  # a call of numpy on so much takes 20 times its start
LIVE_TILES_BYTES = 1 << 22  # of all tiles that live at a time: a second-level cache and a share of the third
MIN_TILES = 8  # of a tensor, unless they are smaller than the smallest
TILES_PER_THREAD = 4  # so that a thread which is held up leaves its work to the others

# ---- memory of programs --------------------------------------------------------------------------------
CACHE_LINE_BYTES = 64  # of every processor that numpy has wheels for, but some Arm ones with 128
MIN_PADDED_BYTES = 1 << 15  # of a matrix, from which it does not stay in a first-level cache
MIN_STACKED_TERMS = 8  # of a sum that is worth adding up at once
MAX_STACKED_BYTES = 1 << 12  # of a term, up to which starting, not adding, is what an addition costs
MIN_CHWN_BYTES = 1 << 14  # of images that are worth considering CHWN

# ---- threads -------------------------------------------------------------------------------------------
MIN_THREADED_BYTES = 1 << 25  # written, about four milliseconds: waking a thread takes a tenth of one

# ---- loops compiled by numba ---------------------------------------------------------------------------
MIN_LOOP_NODES = 3  # of a loop that pays: fewer of numpy's calls, in tiles, are as fast
MIN_SMALL_LOOP_NODES = 6  # the same for small tensors, of which a loop takes as long to start as so many calls
SMALL_RESULT_BYTES = 1 << 14  # of a result, up to which starting, not reading and writing, is what a call costs
MAX_LOOP_NODES = 64  # of a loop: the time of a compiler grows faster than the text
COMPILE_AFTER_SECONDS = 0.3  # that a loop has computed in numpy; compiling takes about as long
STRIP_ELEMENTS = 2048  # of a strip: some arrays of these fit into a first-level cache
CACHED_ROW_BYTES = 1 << 18  # of what a reduction makes one of, up to which going over it again finds it in the cache
