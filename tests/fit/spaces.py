"""Layouts of models on GPUs, for the property tests of the search."""

from __future__ import annotations

from hypothesis import strategies as st

from launchplan import catalog
from launchplan.catalog import Gpu, ModelEntry
from launchplan.fit.candidate import Candidate, Question
from launchplan.fit.space import KV_FORMATS, drafts_of
from launchplan.recipe.schema import Workload

GPUS = tuple(gpu for gpu in catalog.gpus() if gpu.vendor in {"nvidia", "amd"} and gpu.memory_total_bytes)
MODELS = (
    "moonshotai/Kimi-K3", "Qwen/Qwen3.8-2.4T-A95B", "deepseek-ai/DeepSeek-V3.2", "deepseek-ai/DeepSeek-V4-Flash",
    "MiniMaxAI/MiniMax-M2.5", "openai/gpt-oss-120b", "Qwen/Qwen3-32B", "meta-llama/Llama-3.1-70B",
    "google/gemma-4-26B-A4B", "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "zai-org/GLM-4.5-Air",
    "Qwen/Qwen3-VL-32B-Instruct", "mistralai/Mixtral-8x7B-v0.1",
)  # fmt: skip
ENGINES = ("vllm", "sglang")


def entry(name: str) -> ModelEntry:
    found = catalog.model(name)
    assert found is not None
    return found


def question(name: str, engine: str, checkpoint: int = 0) -> Question:
    model = entry(name)
    chosen = model.checkpoints[checkpoint % len(model.checkpoints)]
    version = catalog.versions(engine)[-1]
    return Question(model.id, chosen.id, engine, version, 32768, Workload(), model)


@st.composite
def questions(draw: st.DrawFn) -> Question:
    name, engine = draw(st.sampled_from(MODELS)), draw(st.sampled_from(ENGINES))
    return question(name, engine, draw(st.integers(0, 3)))


@st.composite
def layouts(draw: st.DrawFn, asked: Question, gpus: tuple[Gpu, ...] = GPUS) -> Candidate:
    host = draw(st.sampled_from((1, 2, 4, 8)))
    nodes = draw(st.sampled_from((1, 1, 2, 3, 4)))
    size = st.sampled_from((1, 1, 2, 3, 4, 8, 16))
    tp, pp, dp = draw(size), draw(st.sampled_from((1, 1, 2, 3))), draw(st.sampled_from((1, 1, 2, 4)))
    return Candidate(
        draw(st.sampled_from(gpus)), nodes, host, tp, pp, dp, draw(st.sampled_from((1, tp * dp))),
        draw(st.sampled_from((1, 1, 2, tp))), draw(st.sampled_from(KV_FORMATS)),
        draw(st.sampled_from(drafts_of(asked.entry))),
    )  # fmt: skip
