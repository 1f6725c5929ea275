"""SGLang as far as its launcher comes before it starts processes: parser, resolution, checks, published config;
then, where asked, its ranks' models and pools.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from tests.conformance.record import isolate, sglang_worker
from tests.conformance.record.launches import Launch, Verdict
from tests.conformance.record.places import refusal
from tests.conformance.record.pretend import Device, answer, pretend_torch, pretend_triton, stand_in
from tests.conformance.record.stubs import extensions_of, preload

_VALUES = (
    "tp_size", "pp_size", "dp_size", "attn_dp_size", "attn_cp_size", "moe_dp_size", "ep_size", "dcp_size", "nnodes",
    "dcp_comm_backend", "dcp_replicate_q_proj", "moe_dense_tp_size", "enable_dp_lm_head",
    "enable_tp_lm_head_all_to_all", "page_size", "attention_backend", "prefill_attention_backend",
    "decode_attention_backend", "sampling_backend", "mem_fraction_static", "chunked_prefill_size",
    "max_prefill_tokens", "max_running_requests", "max_total_tokens", "quantization", "kv_cache_dtype", "dtype",
    "moe_runner_backend", "moe_a2a_backend", "deepep_mode", "disable_overlap_schedule", "disable_radix_cache",
    "disable_shared_experts_fusion", "speculative_algorithm", "speculative_num_steps", "speculative_eagle_topk",
    "speculative_num_draft_tokens", "speculative_draft_model_path", "speculative_moe_runner_backend",
    "speculative_moe_a2a_backend", "speculative_attention_mode", "speculative_draft_attention_backend",
    "disaggregation_mode", "disaggregation_transfer_backend", "disaggregation_bootstrap_port", "mamba_ssm_dtype",
    "mamba_full_memory_ratio", "max_mamba_cache_size", "mamba_radix_cache_strategy", "uses_mamba_radix_cache",
    "linear_attn_backend", "linear_attn_decode_backend", "linear_attn_verify_backend", "mamba_backend",
    "dsa_prefill_backend", "dsa_decode_backend", "swa_full_tokens_ratio", "schedule_conservativeness",
    "enable_flashinfer_allreduce_fusion", "flashinfer_allreduce_fusion_backend", "load_balance_method",
    "disaggregation_decode_extra_slots", "context_length", "reasoning_parser", "tool_call_parser",
)  # fmt: skip


_KERNELS = ("cutlass", "deep_gemm", "deep_ep", "flash_mla")
"""Packages of kernels that model classes import and that want a GPU to be installed."""


@dataclass(slots=True)
class Engine:
    """An installed SGLang behind a pretended device."""

    device: Device
    models: Path
    stage: Literal["config", "worker"] = "config"
    _args: Any = field(default=None, init=False)
    _context: Any = field(default=None, init=False)

    def load(self) -> None:
        """Import SGLang's launcher modules."""
        isolate.work_folder(self.models)
        pretend_torch(self.device)
        pretend_triton(self.device)
        preload(extensions_of("sgl_kernel"))
        stand_in("sgl_kernel")
        if self.stage == "worker":
            for package in _KERNELS:
                stand_in(package, language=True)
            # A count of multiprocessors shapes buffers, and nothing that is refused.
            kernels = importlib.import_module("deep_gemm")
            answer(kernels, {"get_num_sms": self.device.multiprocessors})
        self._args = importlib.import_module("sglang.srt.server_args")
        self._context = importlib.import_module("sglang.srt.runtime_context")
        for name in ("sglang.srt.server_args", "sglang.srt.utils.network", "sglang.srt.utils.common"):
            module = importlib.import_module(name)
            if hasattr(module, "wait_port_available"):
                answer(module, {"wait_port_available": True})  # ports of this machine say nothing
        logging.basicConfig = lambda *_, **__: None  # it would start over for each launch

    def judge(self, launch: Launch) -> Verdict:
        """Take a launch up to the ports that its processes would get, or on to its ranks' models and pools."""
        try:
            with contextlib.redirect_stderr(io.StringIO()):
                given = self._args.prepare_server_args(["--model-path", launch.model, *launch.args])
            given.resolve_once()
            given.check_server_args()
            models = importlib.import_module("sglang.srt.configs.model_config")
            model = models.ModelConfig.from_server_args(given)
            self._context.publish(given, role="tokenizer")
            # The scheduler compares the sizes of the layout with one another (managers/scheduler.py:6327).
            ranks = self._context.SpawnRanks(world_rank=0, gpu_id=0)
            self._context.publish(given, role="scheduler", ranks=ranks)
            self._args.PortArgs.init_new(given)
            if self.stage == "worker":
                sglang_worker.build(given, model, self.device)
                return Verdict(ok=True)
            return Verdict(ok=True, resolved=_resolved(given.resolved_dict()))
        except (Exception, SystemExit) as error:  # noqa: BLE001 # whatever an engine raises is its verdict
            return refusal(error, "sglang", "sglang/srt/arg_groups/")


def _resolved(values: dict[str, Any]) -> dict[str, Any]:
    """Read what the engine filled in, by the names of launchplan's settings."""
    found = {name: values[name] for name in _VALUES if name in values}
    graphs = values.get("cuda_graph_config") or {}
    for phase in ("decode", "prefill"):
        graph = graphs.get(phase) or {}
        sizes = graph.get("bs")
        found |= {
            f"{phase}_graph.backend": graph.get("backend"),
            f"{phase}_graph.max_bs": graph.get("max_bs"),
            f"{phase}_graph.sizes.count": None if sizes is None else len(sizes),
        }
    return found
