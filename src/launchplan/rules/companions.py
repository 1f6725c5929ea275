"""Flags of SGLang 0.5.23 that need or exclude each other: facts of its source, one a row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from launchplan.engines.arguments import Arguments
from launchplan.engines.sglang.view import SglangView


@dataclass(frozen=True, slots=True)
class Pair:
    """Two flags that do not agree."""

    name: str
    """The flag that the finding stands at."""
    message: str
    fix: str
    broken: Callable[[SglangView], bool]


def _needs(name: str, other: str, fix: str | None = None) -> Pair:
    flag, companion = name.replace("_", "-"), other.replace("_", "-")

    def broken(view: SglangView) -> bool:
        return bool(view.arguments[name]) and not view.arguments[other]

    return Pair(name, f"{flag} needs {companion}", fix or f"add {companion}", broken)


def _excludes(name: str, other: str) -> Pair:
    flag, companion = name.replace("_", "-"), other.replace("_", "-")

    def broken(view: SglangView) -> bool:
        return bool(view.arguments[name]) and bool(view.arguments[other])

    return Pair(name, f"{flag} does not work with {companion}", f"remove {companion}", broken)


def _when(name: str, message: str, fix: str, broken: Callable[[Arguments], bool]) -> Pair:
    return Pair(name, message, fix, lambda view: broken(view.arguments))


def _native_grpc(given: Arguments) -> bool:
    """Tell whether the native gRPC server runs (`serving_hook.py:396`)."""
    return given["grpc_port"] is not None and not (given["smg_grpc_mode"] or given["grpc_mode"])


def _device(given: Arguments) -> str:
    """Give the kind of device; without `--device` it is the GPU's."""
    return str(given["device"] or "cuda").split(":")[0]


def _without_certificate(name: str) -> Callable[[Arguments], bool]:
    return lambda given: bool(given[name]) and not given["ssl_certfile"] and not given["ssl_keyfile"]


def _grpc(name: str, off: object, what: str) -> Pair:
    return _when(
        "grpc_port", f"grpc-port does not work with {what}", f"remove {what}",
        lambda given: _native_grpc(given) and given[name] != off and bool(given[name]),
    )  # fmt: skip


PAIRS: tuple[Pair, ...] = (
    _needs("ssl_keyfile", "ssl_certfile"),
    _needs("ssl_certfile", "ssl_keyfile"),
    _when("ssl_ca_certs", "ssl-ca-certs needs ssl-certfile and ssl-keyfile", "add them",
          _without_certificate("ssl_ca_certs")),
    _when("ssl_keyfile_password", "ssl-keyfile-password needs ssl-certfile and ssl-keyfile", "add them",
          _without_certificate("ssl_keyfile_password")),
    _needs("enable_ssl_refresh", "ssl_certfile"),
    _excludes("enable_ssl_refresh", "enable_http2"),
    _when("enable_http_worker_reuseport", "enable-http-worker-reuseport needs tokenizer-worker-num above 1",
          "set tokenizer-worker-num",
          lambda given: bool(given["enable_http_worker_reuseport"]) and given["tokenizer_worker_num"] == 1),
    _excludes("enable_http_worker_reuseport", "enable_http2"),
    _excludes("disable_cuda_graph_padding", "enable_torch_compile"),
    _excludes("enable_tokenizer_batch_encode", "enable_dynamic_batch_tokenizer"),
    _needs("export_metrics_to_file", "export_metrics_to_file_dir"),
    _needs("tokenizer_metrics_allowed_custom_labels", "tokenizer_metrics_custom_labels_header"),
    _when("retraction_policy", "retraction-policy priority needs enable-priority-scheduling",
          "add enable-priority-scheduling",
          lambda given: given["retraction_policy"] == "priority" and not given["enable_priority_scheduling"]),
    _when("enable_priority_scheduling", "enable-priority-scheduling needs schedule-policy fcfs or lof",
          "use schedule-policy fcfs",
          lambda given: bool(given["enable_priority_scheduling"])
          and given["schedule_policy"] not in ("fcfs", "lof")),
    _when("kv_canary_sweep_interval", "kv-canary-sweep-interval needs kv-canary log or raise",
          "add kv-canary log",
          lambda given: given["kv_canary_sweep_interval"] > 0 and given["kv_canary"] == "none"),
    _when("enable_quant_communications", "enable-quant-communications is for Ascend NPUs only",
          "remove enable-quant-communications", lambda given: bool(given["enable_quant_communications"])),
    _when("sampling_backend", "sampling-backend intel_xpu is for Intel GPUs only",
          "leave sampling-backend out",
          lambda given: given["sampling_backend"] == "intel_xpu" and given["device"] != "xpu"),
    _when("model_impl", "model-impl mindspore is for Ascend NPUs only", "leave model-impl out",
          lambda given: given["model_impl"] == "mindspore"),
    _when("enable_watermark", "enable-watermark draws on CUDA devices only", "remove enable-watermark",
          lambda given: bool(given["enable_watermark"]) and _device(given) != "cuda"),
    _when("load_format", "load-format instanttensor loads to CUDA devices only", "leave load-format out",
          lambda given: given["load_format"] == "instanttensor" and _device(given) != "cuda"),
    _when("enable_response_store", "enable-response-store does not work with disaggregation",
          "remove enable-response-store",
          lambda given: bool(given["enable_response_store"]) and given["disaggregation_mode"] != "null"),
    _when("min_free_slots_delay", "min-free-slots-delay does not work with pp above 1",
          "remove min-free-slots-delay",
          lambda given: given["min_free_slots_delay"] is not None and given["pp_size"] > 1),
    _when("ple_offload_embedding", "ple-offload-embedding does not work with other offloading",
          "remove cpu-offload-gb and offload-group-size",
          lambda given: bool(given["ple_offload_embedding"])
          and (given["cpu_offload_gb"] > 0 or given["offload_group_size"] > 0)),
    _when("ple_offload_backend", "ple-offload-backend file needs ple-offload-embedding",
          "leave ple-offload-backend out",
          lambda given: given["ple_offload_backend"] == "file" and given["ple_offload_embedding"] is False),
    _when("disable_fast_image_processor", "disable-fast-image-processor needs image-processor-backend pil",
          "remove disable-fast-image-processor",
          lambda given: bool(given["disable_fast_image_processor"])
          and given["image_processor_backend"] not in ("auto", "pil")),
    _needs("sidecar_args", "sidecar"),
    _when("sidecar", "sidecar needs grpc-port", "add grpc-port",
          lambda given: given["sidecar"] is not None and not _native_grpc(given)),
    _when("grpc_port", "grpc-port and port are the same", "use two ports",
          lambda given: _native_grpc(given) and given["grpc_port"] == given["port"]),
    _grpc("use_ray", off=False, what="use-ray"),
    _grpc("encoder_only", off=False, what="encoder-only"),
    _grpc("tokenizer_worker_num", off=1, what="tokenizer-worker-num above 1"),
    _grpc("api_key", off=None, what="api-key"),
    _grpc("admin_api_key", off=None, what="admin-api-key"),
)  # fmt: skip
"""Rows of `arg_groups/validation_hook.py` and `arg_groups/serving_hook.py`."""
