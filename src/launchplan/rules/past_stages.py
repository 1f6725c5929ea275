"""Model classes that older releases of vLLM could not lay over pipeline stages."""

from __future__ import annotations

from launchplan import catalog
from launchplan.catalog.releases import CLASSES, STAGELESS
from launchplan.engines.view import EngineView
from launchplan.rules.engine.class_known import OWN_CHOICE
from launchplan.rules.past import Found, Past, classes, size

PP = "pipeline_parallel_size"
GOT = {
    "NemotronHForCausalLM": ("0", "0.11.1", "vllm-project/vllm issue 27968"),
    "VoxtralForConditionalGeneration": ("0", "0.22.0", "vllm-project/vllm issue 22424"),
    "Step3p5ForCausalLM": ("0", "0.16.0", "vllm-project/vllm issue 33685"),
    "MiniMaxM3SparseForConditionalGeneration": ("0.22.0", "0.24.0", "vllm-project/vllm issue 45455"),
    "MiniMaxM3SparseForCausalLM": ("0.22.0", "0.24.0", "vllm-project/vllm issue 45455"),
}
"""Classes that were marked for stages and did not run over them, and builds of a class before its release:
from the first release that it was seen of to before the second."""
_FIX = "use pp 1, or a newer release"


def _any(view: EngineView) -> Found:
    return "pipeline stages are not in this release" if size(view, PP) > 1 else None


def _stageless(view: EngineView) -> Found:
    """Look the class up that is built: the first that the registry has, of the release's own."""
    version, model = view.pool.deployment.version, view.architecture
    known, lacking = (catalog.release_names("vllm", of) for of in (CLASSES, STAGELESS))
    built, without = known and known.at(version), lacking and lacking.at(version)
    if size(view, PP) == 1 or model is None or not built or not without:
        return None
    name = next((each for each in model.architectures if each in built), None)
    if name not in without or view.arguments["model_impl"] not in OWN_CHOICE:
        return None
    return f"{name} has no pipeline stages in this release"


def _of(name: str) -> Past:
    since, until, source = GOT[name]

    def finds(view: EngineView) -> Found:
        staged = size(view, PP) > 1 and name in classes(view)
        return f"{name} has no pipeline stages in this release" if staged else None

    return Past("vllm", until, source, finds, PP, _FIX, since, "config")


TABLE = (
    Past("vllm", "0.5.1", "vllm-project/vllm pull request 4412", _any, PP, "use tp, or a newer release",
         at="config"),
    Past("vllm", "0.33.0", "the class in this release; vllm-project/vllm issues 9015, 16231", _stageless, PP,
         _FIX, "0.5.1", "config"),
    *(_of(name) for name in GOT),
)  # fmt: skip
"""By `launchplan.rules.past`."""
