"""vLLM as far as its finished configuration: parser, `serve` dispatch, `create_engine_config`."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.util
import io
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from tests.conformance.record import isolate, vllm_worker
from tests.conformance.record.launches import Launch, Verdict
from tests.conformance.record.places import refusal
from tests.conformance.record.pretend import Device, answer, pretend_nvml, pretend_torch, pretend_triton
from tests.conformance.record.stubs import extensions_of, preload

_RUNNERS = {
    "run_server": "single",
    "run_multi_api_server": "multi_api",
    "run_headless": "headless",
    "run_dp_supervisor": "dp_supervisor",
}
"""What `vllm serve` hands over to, by the mode that it stands for (vllm/entrypoints/cli/serve.py, 0.33.0)."""


class _Handed(BaseException):  # no error: the launch came as far as a server
    """A launch was handed to a server."""

    def __init__(self, mode: str, arguments: argparse.Namespace) -> None:
        super().__init__(mode)
        self.mode, self.arguments = mode, arguments


@dataclass(slots=True)
class Engine:
    """An installed vLLM behind a pretended device."""

    device: Device
    models: Path
    stage: str = "config"
    _parser: Any = field(default=None, init=False)
    _command: Any = field(default=None, init=False)

    def load(self) -> None:
        """Import vLLM on its CUDA platform and build its parser."""
        isolate.work_folder(self.models)
        os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")
        os.environ.setdefault("HUMMING_DISABLE_PARALLEL_BUILD", "1")  # its kernels need a GPU
        pretend_torch(self.device)
        preload(extensions_of("vllm"))
        pretend_triton(self.device)
        for name in ("vllm.third_party.pynvml", "pynvml"):
            if importlib.util.find_spec(name) is not None:
                pretend_nvml(importlib.import_module(name), self.device)
        serve = importlib.import_module("vllm.entrypoints.cli.serve")
        for name, mode in _RUNNERS.items():
            setattr(serve, name, _hands_over(mode))
        registry = importlib.import_module("vllm.model_executor.models.registry")
        # The real one asks a new process, which would see no pretended device.
        answer(registry, {"_run_in_subprocess": lambda work: work()})
        tools = importlib.import_module("vllm.utils.argparse_utils")
        self._parser = tools.FlexibleArgumentParser(prog="vllm")
        (self._command,) = serve.cmd_init()
        self._command.subparser_init(self._parser.add_subparsers(dest="subparser"))

    def judge(self, launch: Launch) -> Verdict:
        """Take a launch up to its finished configuration, or on to the models of its ranks."""
        try:
            with contextlib.redirect_stderr(io.StringIO()):
                handed = self._dispatch(["serve", launch.model, *launch.args])
            if handed.mode == "dp_supervisor":
                supervisor = importlib.import_module("vllm.entrypoints.launchers.dp_supervisor")
                supervisor.validate_multi_port_external_lb_args(handed.arguments)
            config = _configure(handed)
            if self.stage == "worker":
                vllm_worker.build(config)
                return Verdict(ok=True)
            return Verdict(ok=True, resolved=_resolved(handed, config))
        except (Exception, SystemExit) as error:  # noqa: BLE001 # whatever an engine raises is its verdict
            return refusal(error, "vllm")

    def _dispatch(self, words: list[str]) -> _Handed:
        arguments = self._parser.parse_args(words)
        self._command.validate(arguments)
        try:
            self._command.cmd(arguments)
        except _Handed as handed:
            return handed
        raise RuntimeError("vllm serve came back without a server")


def _hands_over(mode: str) -> Any:
    def run(arguments: argparse.Namespace, *_: Any, **__: Any) -> NoReturn:
        raise _Handed(mode, arguments)

    return run


def _configure(handed: _Handed) -> Any:
    vllm = importlib.import_module("vllm")
    usage = importlib.import_module("vllm.usage.usage_lib").UsageContext.OPENAI_API_SERVER
    engine = vllm.AsyncEngineArgs.from_cli_args(handed.arguments)
    if handed.mode == "multi_api":
        engine._api_process_count = handed.arguments.api_server_count  # as run_multi_api_server
        engine._api_process_rank = -1
    return engine.create_engine_config(usage_context=usage, headless=handed.mode == "headless")


def _resolved(handed: _Handed, config: Any) -> dict[str, Any]:
    """Read what the engine filled in, by the names of launchplan's settings."""
    model, cache, parallel = config.model_config, config.cache_config, config.parallel_config
    scheduler, backend = config.scheduler_config, config.attention_config.backend
    found = {
        "mode": handed.mode,
        "api_server_count": 1 if handed.mode == "single" else handed.arguments.api_server_count,
        "model.name": model.architecture,
        "quantization": model.quantization,
        "dtype": str(model.dtype).removeprefix("torch."),
        "max_model_len": model.max_model_len,
        "max_num_batched_tokens": scheduler.max_num_batched_tokens,
        "max_num_seqs": scheduler.max_num_seqs,
        "block_size": cache.block_size,
        "prefix_caching": cache.enable_prefix_caching,
        "async_scheduling": scheduler.async_scheduling,
        "v2_runner": config.use_v2_model_runner,
        "cudagraph_mode": getattr(config.compilation_config.cudagraph_mode, "name", None),
        "parallel.executor": _name(parallel.distributed_executor_backend),
        "parallel.all2all": parallel.all2all_backend,
        "parallel.dp_local": parallel.data_parallel_size_local,
        "parallel.dp_rank": parallel.data_parallel_rank,
        "parallel.world_size": parallel.world_size,
        "parallel.local_world_size": _share(parallel, "local_world_size"),
        "parallel.nnodes_within_dp": _share(parallel, "nnodes_within_dp"),
        "parallel.dcp_comm_backend": parallel.dcp_comm_backend,
        "kv_cache_dtype": cache.cache_dtype,
        "moe_backend": config.kernel_config.moe_backend,
        "attention_backend": getattr(backend, "name", backend),
    }
    return found | _speculative(config.speculative_config)


def _share(parallel: Any, name: str) -> int | None:
    """Read a share of the nodes, which vLLM refuses to count only once a worker starts."""
    try:
        return int(getattr(parallel, name))
    except ValueError:
        return None


def _name(value: Any) -> Any:
    return value.__name__ if isinstance(value, type) else value


def _speculative(config: Any) -> dict[str, Any]:
    if config is None:
        return {}
    draft, parallel = config.draft_model_config, config.draft_parallel_config
    own = parallel is not None and parallel is not config.target_parallel_config
    return {
        "spec.method": config.method,
        "spec.tokens": config.num_speculative_tokens,
        "spec.architecture": draft.architecture if draft is not None else None,
        "spec.tp": parallel.tensor_parallel_size if own else None,
    }
