"""What each attention backend of vLLM 0.33.0 serves.

The answers stand in each backend's file under `vllm/v1/attention/backends/`. Models that bring their own
backends (DeepSeek-V4, MiniMax-M3, MiMo-V2) are not in here.
"""

from __future__ import annotations

from launchplan.engines.vllm.attention import PLAIN, Backend, Capability, Layer

_Span = tuple[Capability, Capability]
_FP8 = PLAIN | {"fp8", "fp8_e4m3"}
_HOPPER: _Span = ((9, 0), (9, 9))
_BLACKWELL: _Span = ((10, 0), (10, 9))
_32 = ("float16", "bfloat16", "float32")
_HEADS = frozenset({"int4_per_token_head", "int8_per_token_head", "fp8_per_token_head"})


def flash_attention_version(layer: Layer) -> int:
    """Tell which FlashAttention runs (`fa_utils.py:75`); 2 where nothing newer does."""
    major = layer.capability[0]
    if major == 9:
        return 4 if layer.head_size > 256 or (layer.fa4_everywhere and layer.kv_dtype in PLAIN) else 3
    if major != 10:
        return 2
    return 4 if layer.head_size <= 128 or (layer.head_size == 256 and _fits_wide_kernel(layer)) else 2


def _fits_wide_kernel(layer: Layer) -> bool:
    aligned = layer.block_size is None or layer.block_size % 128 == 0
    plain = not layer.sinks and not layer.mm_prefix and not layer.dcp
    return plain and aligned and layer.kv_dtype in PLAIN


def _flash_attention(layer: Layer) -> str | None:
    major = layer.capability[0]
    if layer.head_size % 8 or layer.head_size > (512 if major in {9, 10, 11} else 256):
        return f"no head size {layer.head_size}"
    if layer.sinks and flash_attention_version(layer) == 2:
        return "no attention sinks on this GPU"
    if layer.mm_prefix and (major not in {9, 10} or flash_attention_version(layer) != 4):
        return "no two-way attention over images"
    if layer.kv_dtype not in PLAIN and not _reads_fp8(layer):
        return f"no {layer.kv_dtype} KV cache on this GPU"
    step = _page(layer)
    return None if not layer.block_size or layer.block_size % step == 0 else f"block sizes in steps of {step}"


def _page(layer: Layer) -> int:
    """Give the step of block sizes (`flash_attn.py:298-369`)."""
    major, wide = layer.capability[0], layer.head_size
    if major == 9 and wide == 512 and layer.kv_dtype not in PLAIN:
        return 64
    return 128 if major == 10 and wide == 256 and layer.kv_dtype in PLAIN and not layer.dcp else 16


def _reads_fp8(layer: Layer) -> bool:
    version = flash_attention_version(layer)
    if layer.capability[0] == 9:
        return version == 3 or layer.head_size == 512
    return layer.capability[0] == 10 and version == 4


def _flashinfer(layer: Layer) -> str | None:
    if layer.sinks and not (layer.cubins and layer.capability[0] in {9, 10, 12}):
        return "no attention sinks without FlashInfer's kernels for TensorRT-LLM attention"
    if not layer.kv_dtype.startswith("nvfp4"):
        return None
    if layer.capability[0] == 10:
        return None if layer.cubins else "no nvfp4 KV cache without FlashInfer's ready-made kernels"
    if layer.kv_dtype != "nvfp4" or layer.capability[0] not in {8, 9, 12}:
        return f"no {layer.kv_dtype} KV cache on this GPU"
    if layer.head_size == 64:
        return "no nvfp4 KV cache with heads of 64"
    return None


def _flash_mla(layer: Layer) -> str | None:
    return None if layer.capability[0] == 9 else "dense FlashMLA is for Hopper only"


def _flashinfer_mla(layer: Layer) -> str | None:
    return None if layer.nope_dim in {64, 128, 192} else f"no qk_nope_head_dim {layer.nope_dim}"


def _tokenspeed(layer: Layer) -> str | None:
    fits = (layer.nope_dim, layer.rope_dim, layer.value_dim) == (128, 64, 128)
    return "needs the package tokenspeed-mla" if fits else "no such latent dimensions"


def _flash_mla_sparse(layer: Layer) -> str | None:
    if layer.kv_dtype == "nvfp4_ds_mla" and layer.capability[0] != 10:
        return "no nvfp4_ds_mla KV cache on this GPU"
    if layer.head_size == 512 and not (layer.capability[0] == 9 and layer.rope_dim == 0):
        return "no head size 512"
    return None


def _flash_attention_sparse(layer: Layer) -> str | None:
    return "no decode context parallelism" if layer.dcp_size > 1 else None


def _fa4_sparse(layer: Layer) -> str | None:
    if (layer.lora_rank, layer.rope_dim) != (512, 64) or (layer.index_topk or 0) % 128:
        return "no such latent dimensions"
    counts = (8, 16, 32, 64) if layer.dcp_size > 1 else (8, 16, 32, 64, 128)
    return None if layer.heads * layer.dcp_size in counts else f"no {layer.heads} query heads a rank"


def _flashinfer_sparse(layer: Layer) -> str | None:
    if layer.pcp and layer.dcp:
        return "no prefill beside decode context parallelism"
    if layer.rope_dim == 0:
        return None if (layer.nope_dim, layer.lora_rank) == (256, 512) else "no such latent dimensions"
    return None if layer.nope_dim in {128, 192} else f"no qk_nope_head_dim {layer.nope_dim}"


def _flashinfer_sparse_sm120(layer: Layer) -> str | None:
    return None if layer.index_topk == 2048 else f"no index_topk {layer.index_topk}"


def _flashinfer_sparse_sm90(layer: Layer) -> str | None:
    fits = layer.lora_rank == 512 and layer.rope_dim in {0, 64}
    return None if fits else "no such latent dimensions"


def _triton(layer: Layer) -> str | None:
    return None if layer.mla or layer.head_size >= 32 else f"no head size {layer.head_size}"


def _triton_flash(layer: Layer) -> str | None:
    return _flash_attention(layer) if layer.head_size in {256, 512} else f"no head size {layer.head_size}"


_MLA_SIZES = (320, 512, 576)
_ALL = (
    Backend("FLASH_ATTN", "flash_attn.py:286", ((8, 0), (99, 9)), _FP8, sinks=True, sliding=True,
            mm_prefix=True, dcp=True, more=_flash_attention),
    Backend("FLASHINFER", "flashinfer.py:554", ((8, 0), (12, 1)),
            _FP8 | {"fp8_e5m2", "nvfp4", "nvfp4_4over6"}, (16,), (64, 128, 256, 512), sinks=True,
            sliding=True, dcp=True, more=_flashinfer),
    Backend("TRITON_ATTN", "triton_attn.py:306",
            kv_dtypes=_FP8 | _HEADS | {"fp8_e5m2"}, dtypes=_32, sinks=True, sliding=True,
            mm_prefix=True, more=_triton),
    Backend("FLEX_ATTENTION", "flex_attention.py:90", dtypes=_32, sliding=True, mm_prefix=True),
    Backend("TURBOQUANT", "turboquant_attn.py:123",
            kv_dtypes=frozenset({"turboquant_k8v4", "turboquant_4bit_nc", "turboquant_k3v4_nc",
                                 "turboquant_3bit_nc"})),
    Backend("TRITON_FLASH_ATTN", "triton_flash_attn.py:62", _HOPPER, _FP8, sinks=True, sliding=True,
            mm_prefix=True, dcp=True, more=_triton_flash),
    Backend("TRITON_FLASHINFER", "triton_flashinfer.py:14", _BLACKWELL, _FP8 | {"fp8_e5m2"}, (64,),
            (256, 512), sinks=True, sliding=True, mm_prefix=True, dcp=True, more=_flashinfer),
    Backend("HPC_ATTN", "hpc_attn.py:270", ((9, 0), (9, 0)), frozenset({"auto", "bfloat16", "fp8_e4m3"}),
            (64,), (128,)),
    Backend("FLASH_ATTN_MLA", "mla/flashattn_mla.py:40", _HOPPER, PLAIN, (16,), _MLA_SIZES, mla=True,
            dcp=True),
    Backend("FLASHMLA", "mla/flashmla.py:46", ((9, 0), (10, 9)), _FP8, (64,), _MLA_SIZES, mla=True,
            dcp=True, more=_flash_mla),
    Backend("FLASHINFER_MLA", "mla/flashinfer_mla.py:193", _BLACKWELL, _FP8, (32,), _MLA_SIZES, mla=True,
            dcp=True, more=_flashinfer_mla),
    Backend("TOKENSPEED_MLA", "mla/tokenspeed_mla.py:101", _BLACKWELL, frozenset({"fp8", "fp8_e4m3"}), (32,),
            _MLA_SIZES, mla=True, dcp=True, more=_tokenspeed),
    Backend("CUTLASS_MLA", "mla/cutlass_mla.py:38", _BLACKWELL, _FP8, (128,), _MLA_SIZES, mla=True,
            dcp=True),
    Backend("TRITON_MLA", "mla/triton_mla.py:99", kv_dtypes=_FP8, mla=True, dcp=True),
    Backend("FLASH_ATTN_MLA_SPARSE", "mla/flashattn_mla_sparse.py:41", _HOPPER, PLAIN, (64,), mla=True,
            sparse=True, more=_flash_attention_sparse),
    Backend("FLASH_ATTN_MLA_SPARSE_FA4", "mla/flashattn_mla_sparse.py:275", _BLACKWELL,
            frozenset({"auto", "bfloat16"}), (64,), (576,), ("bfloat16",), mla=True, sparse=True, dcp=True,
            more=_fa4_sparse),
    Backend("FLASHMLA_SPARSE", "mla/flashmla_sparse.py:147", ((9, 0), (10, 9)),
            frozenset({"auto", "bfloat16", "fp8_ds_mla", "fp8", "nvfp4_ds_mla"}), (64,), (576, 512),
            ("bfloat16",), mla=True, sparse=True, dcp=True, more=_flash_mla_sparse),
    Backend("FLASHINFER_MLA_SPARSE", "mla/flashinfer_mla_sparse.py:80", _BLACKWELL, _FP8, (32,), mla=True,
            sparse=True, dcp=True, more=_flashinfer_sparse),
    Backend("FLASHINFER_MLA_SPARSE_SM120", "mla/flashinfer_mla_sparse.py:164", ((12, 0), (12, 9)),
            frozenset({"auto", "fp8", "fp8_e4m3", "fp8_ds_mla"}), (64,), (), ("bfloat16",), mla=True,
            sparse=True, more=_flashinfer_sparse_sm120),
    Backend("FLASHINFER_MLA_SPARSE_SM90", "mla/flashinfer_mla_sparse_sm90.py:146", _HOPPER,
            frozenset({"auto", "bfloat16", "fp8", "fp8_e4m3"}), (64,), (512, 576), ("bfloat16",), mla=True,
            sparse=True, more=_flashinfer_sparse_sm90),
)  # fmt: skip
BACKENDS = {backend.name: backend for backend in _ALL}
"""The backends that are chosen by the layer alone, by the name of `--attention-backend`."""
