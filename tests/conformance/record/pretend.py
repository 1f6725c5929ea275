"""A GPU that is not there: what engines ask a device before they start, answered from the catalog."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CATALOG = Path(__file__).parents[3] / "src" / "launchplan" / "catalog" / "data" / "gpus"
_UUID = "GPU-00000000-0000-0000-0000-{:012d}"


@dataclass(frozen=True, slots=True)
class Device:
    """The GPUs of a node."""

    name: str
    capability: tuple[int, int]
    memory_bytes: int
    count: int
    multiprocessors: int = 132
    """Only kernels' launch grids depend on it."""


def read_device(gpu: str, count: int) -> Device:
    """Take name, compute capability and memory from the catalog's file."""
    yaml = importlib.import_module("yaml")
    data = yaml.safe_load((CATALOG / f"{gpu}.yaml").read_text(encoding="utf-8"))
    major, minor = data["compute_capability"].split(".")
    memory = data.get("memory_total_bytes") or data["memory_marketing_gb"] * 10**9
    return Device(data["name"], (int(major), int(minor)), int(memory), count)


def answer(module: Any, answers: dict[str, Any]) -> None:
    """Replace functions of a module; what is no function is returned by one."""
    for name, value in answers.items():
        setattr(module, name, value if callable(value) else _returns(value))


def _returns(value: Any) -> Callable[..., Any]:
    return lambda *_, **__: value


def pretend_torch(device: Device) -> None:
    """Answer torch's own queries; no context is made and no kernel can run."""
    torch = importlib.import_module("torch")
    # Torch's compiler binds CUDA symbols while it is imported, which a CPU build does not have.
    importlib.import_module("torch._inductor")
    properties = types.SimpleNamespace(
        name=device.name, major=device.capability[0], minor=device.capability[1],
        total_memory=device.memory_bytes, multi_processor_count=device.multiprocessors,
        gcnArchName="", is_integrated=0, uuid=_UUID.format(0), warp_size=32,
        shared_memory_per_block_optin=232_448, L2_cache_size=50 * 2**20,
    )  # fmt: skip
    torch.version.cuda = torch.version.cuda or "13.0"
    answer(torch.cuda, {
        "is_available": True, "is_initialized": True, "_is_compiled": True, "device_count": device.count,
        "_device_count_nvml": device.count, "current_device": 0, "set_device": None,
        "get_device_capability": device.capability, "get_device_name": device.name,
        "get_device_properties": properties, "mem_get_info": (device.memory_bytes, device.memory_bytes),
        "empty_cache": None, "synchronize": None, "is_bf16_supported": device.capability >= (8, 0),
        "manual_seed_all": None, "get_arch_list": [f"sm_{device.capability[0]}{device.capability[1]}"],
    })  # fmt: skip


def pretend_nvml(nvml: Any, device: Device) -> None:
    """Answer the queries of an NVML binding; handles are indices."""
    memory = types.SimpleNamespace(total=device.memory_bytes, free=device.memory_bytes, used=0)
    answer(nvml, {
        "nvmlInit": None, "nvmlShutdown": None, "nvmlDeviceGetCount": device.count,
        "nvmlDeviceGetHandleByIndex": lambda index: index, "nvmlDeviceGetHandleByUUID": 0,
        "nvmlDeviceGetIndex": lambda handle: handle, "nvmlDeviceGetCudaComputeCapability": device.capability,
        "nvmlDeviceGetName": device.name, "nvmlDeviceGetUUID": _UUID.format, "nvmlDeviceGetMemoryInfo": memory,
        "nvmlDeviceGetP2PStatus": getattr(nvml, "NVML_P2P_STATUS_OK", 0), "nvmlDeviceGetNumaNodeId": 0,
        "nvmlSystemGetDriverVersion": "580.65.06",
    })  # fmt: skip


def pretend_triton(device: Device) -> None:
    """Answer what kernels ask of Triton's driver when their modules are imported."""
    driver = importlib.import_module("triton.runtime.driver").driver
    target = importlib.import_module("triton.backends.compiler").GPUTarget
    architecture = 10 * device.capability[0] + device.capability[1]
    driver._default = types.SimpleNamespace()  # making the real one opens the device
    answer(driver._default, {"get_current_target": target("cuda", architecture, 32), "get_current_device": 0})


class _Hollow(types.ModuleType):
    """A compiled module whose functions can be named, and not called."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)

        def call(*_: Any, **__: Any) -> Any:
            raise NotImplementedError(f"{self.__name__}.{name}")

        return call


class _InertMeta(type):
    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return cls

    def __getitem__(cls, _: Any) -> Any:
        return cls

    def __or__(cls, _: Any) -> Any:
        return cls

    __ror__ = __or__


class _Inert(metaclass=_InertMeta):
    """Whatever a kernel language is asked for while kernels are defined: type, base class, decorator."""

    def __new__(cls, *given: Any, **_: Any) -> Any:
        """Give back what is decorated."""
        return given[0] if len(given) == 1 and callable(given[0]) else _Inert


class _Language(types.ModuleType):
    """A kernel language whose kernels can be defined, and not be run."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Inert


class _HollowFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a package that isn't installed, with any module below it."""

    def __init__(self, package: str, kind: type[types.ModuleType]) -> None:
        self._package, self._kind = package, kind

    def find_spec(
        self, fullname: str, path: object, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname.partition(".")[0] != self._package:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return self._kind(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Leave it hollow."""


def stand_in(package: str, *, language: bool = False) -> None:
    """Put a hollow package where a compiled one is not installed or can't be loaded.

    In a `language`, kernels are defined while modules are imported.
    """
    try:
        importlib.import_module(package)
    except (ImportError, OSError):
        sys.meta_path.insert(0, _HollowFinder(package, _Language if language else _Hollow))
