"""Whether a deployment takes images: a fact of the model, and of what its engines are told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from launchplan.engines.arguments import Arguments, Word
from launchplan.engines.launch import Launch, Process, text
from launchplan.engines.reading import read_past_refusals
from launchplan.engines.sglang.settings.model import read_model
from launchplan.resolve import Deployment

_LIMITS = {"vllm": "limit_mm_per_prompt", "sglang": "limit_mm_data_per_request"}


def takes_images(launch: Launch) -> bool:
    """Tell whether clients may send images."""
    return takes(launch, "image")


def takes(launch: Launch, kind: Literal["image", "video"]) -> bool:
    """Tell whether clients may send these: the model takes them, and every engine serves them.

    vLLM takes none with `--language-model-only` or a limit of 0 (vllm/config/multimodal.py:696, 0.33.0).
    SGLang serves some classes as text unless `--enable-multimodal` is given, and none with
    `--language-model-only` (sglang/srt/configs/model_config.py, 0.5.23).
    """
    deployment = launch.layout.resolved.deployment
    if not _sees(deployment, kind):
        return False
    engines = [each for each in launch.heads if each.role != "router"]
    return all(_serves(deployment, each, kind) for each in engines)


def _sees(deployment: Deployment, kind: Literal["image", "video"]) -> bool:
    """Tell whether the model takes them, by its publisher or, images outside the catalog, by its config."""
    if deployment.model is not None:
        return kind in deployment.model.modalities
    return (
        kind == "image" and deployment.architecture is not None and deployment.architecture.vision is not None
    )


def _serves(deployment: Deployment, process: Process, kind: str) -> bool:
    given = read_past_refusals(deployment.engine, deployment.version, tuple(_words(process)))
    if given is None:
        return True
    limit = given[_LIMITS[deployment.engine]]
    if _is_zero(limit.get(kind) if isinstance(limit, Mapping) else None):
        return False
    if deployment.engine == "vllm":
        return not given["language_model_only"]
    return _sglang_serves(deployment, given)


def _sglang_serves(deployment: Deployment, given: Arguments) -> bool:
    if deployment.architecture is None:
        return not given["language_model_only"]
    model = read_model(
        deployment.architecture,
        multimodal=given["enable_multimodal"],
        text_only=bool(given["language_model_only"]),
    )
    return model is None or model.is_multimodal


def _is_zero(limit: object) -> bool:
    count = limit.get("count") if isinstance(limit, Mapping) else limit
    return count == 0 and count is not False


def _words(process: Process) -> Iterator[Word]:
    """Give the words behind the program; what only the site knows is any word."""
    named = [text("--model-path")] if process.command[-2:-1] == (text("--model-path"),) else []
    flags = (word for flag in process.flags for word in (text(flag.name), *flag.values))
    for index, value in enumerate((*named, process.command[-1], *flags)):
        yield Word("".join(part if isinstance(part, str) else part.variable for part in value), index)
