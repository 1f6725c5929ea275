"""What older releases refused, each beside the next command or release that they took."""

from __future__ import annotations

import pytest

from launchplan import api
from launchplan.finding import Severity

DP = "--tp-size 8 --enable-dp-attention"
YARN = '{"rope_type":"yarn","factor":4.0,"original_max_position_embeddings":32768}'
LONGER = f'{{"rope_scaling":{YARN},"max_position_embeddings":131072}}'
ROWS = [
    ("sglang", "0.4.6", f"{DP} --dp-size 3", "PAR406"),
    ("sglang", "0.4.6", f"{DP} --dp-size 4", None),
    ("sglang", "0.4.6", DP, "PAR406"),
    ("sglang", "0.5.1", DP, "PAR406"),
    ("sglang", "0.5.2", DP, None),
    ("sglang", "0.4.7", f"{DP} --dp-size 8 --enable-deepep-moe", "PAR406"),
    ("sglang", "0.4.7", f"{DP} --dp-size 8 --enable-deepep-moe --deepep-mode normal", None),
    ("sglang", "0.5.0", "--pp-size 2 --speculative-algorithm EAGLE", "PAR406"),
    ("sglang", "0.5.0", "--pp-size 2 --enable-mixed-chunk", "PAR406"),
    ("sglang", "0.5.0", "--pp-size 2", None),
    ("sglang", "0.5.20", "--pp-size 2 --speculative-algorithm NGRAM", "PAR406"),
    ("sglang", "0.5.21", "--pp-size 2 --speculative-algorithm NGRAM", None),
    ("sglang", "0.5.12", "--pp-size 2 --enable-mixed-chunk", "PAR406"),
    ("sglang", "0.5.13", "--pp-size 2 --enable-mixed-chunk", None),
    ("sglang", "0.5.12", "--tp-size 4 --moe-dense-tp-size 4", "PAR406"),
    ("sglang", "0.5.13", "--tp-size 4 --moe-dense-tp-size 4", None),
    ("sglang", "0.5.13", "--tp-size 4 --moe-dense-tp-size 2", "PAR406"),
    ("sglang", "0.4.8", f"{DP} --dp-size 8 --enable-deepep-moe", "PAR406"),
    ("sglang", "0.4.9", f"{DP} --dp-size 8 --enable-deepep-moe", None),
    ("sglang", "0.4.10", "--lora-paths a=/a", "PAR406"),
    ("sglang", "0.5.1", "--lora-paths a=/a", None),
    ("sglang", "0.5.21", "--tp-size 4 --enable-dp-lm-head", "PAR406"),
    ("sglang", "0.5.2", "--reasoning-parser minimax", "ENG106"),
    ("sglang", "0.5.2", "--tool-call-parser llama4", "ENG407"),
    ("sglang", "0.5.2", "--reasoning-parser qwen3", None),
    ("sglang", "0.4.6", "--attention-backend trtllm_mha", "ENG407"),
    ("sglang", "0.4.6", "--attention-backend fa3", None),
    ("sglang", "0.5.10", "--quantization nvfp4_online", "ENG407"),
    ("sglang", "0.5.10", "--load-format dummy", None),
    ("sglang", "0.4.10", "--tp-size 2", None),
    ("sglang", "0.5.1", "--tp-size 2", None),
    ("vllm", "0.8.5", "--tensor-parallel-size 2", None),
    ("vllm", "0.8.5", "--quantization rtn", "ENG407"),
    ("vllm", "0.9.2", "--quantization rtn", None),
    ("vllm", "0.16.0", "--quantization bitblas", "ENG407"),
    ("vllm", "0.15.1", "--quantization fp8", None),
    ("vllm", "0.10.1", "--kv-cache-dtype nvfp4", "ENG407"),
    ("vllm", "0.10.1+ours", "--kv-cache-dtype nvfp4", None),
    ("vllm", "0.10.1", "--kv-cache-dtype fp8", None),
    ("vllm", "0.22.0", "--reasoning-parser beam", "ENG106"),
    ("vllm", "0.13.0", "--enable-auto-tool-choice --tool-call-parser glm47", "ENG106"),
    ("vllm", "0.14.0", "--enable-auto-tool-choice --tool-call-parser glm47", None),
    ("vllm", "0.23.0", "--enable-dbo --all2all-backend nixl_ep", "PAR406"),
    ("vllm", "0.24.0", "--enable-dbo --all2all-backend nixl_ep", None),
    ("sglang", "0.5.0", "--tp-size 4 --moe-dense-tp-size 2", "PAR406"),
    ("sglang", "0.5.0", "--tp-size 4 --moe-dense-tp-size 1", None),
    ("sglang", "0.5.0", "--tp-size 4 --enable-dp-lm-head", "PAR406"),
    ("sglang", "0.5.0", "--chunked-prefill-size 1000 --page-size 64", "PAR406"),
    ("sglang", "0.5.0", "--chunked-prefill-size 1024 --page-size 64", None),
    ("sglang", "0.4.7", "--lora-paths a=/a", "PAR406"),
    ("sglang", "0.4.7", "--lora-paths a=/a --disable-radix-cache", None),
    ("sglang", "0.5.0", "--enable_metrics", "ENG405"),
    ("sglang", "0.5.0", "--enable-metrics", None),
    ("sglang", "0.5.0", "--max-model-len 4096", "ENG405"),
    ("sglang", "0.5.0", "--a-flag-of-then", None),
    ("sglang", "0.5.0", "--speculative-algorithm EAGLE --speculative-eagle-topk 1", "SPC401"),
    ("sglang", "0.5.0", "--speculative-algorithm EAGLE --speculative-eagle-topk 1 --speculative-num-steps 3", None),
    ("sglang", "0.5.0", f"--context-length 131072 --json-model-override-args '{LONGER}'", None),
    ("sglang", "0.5.0", "--context-length 131072", "ENG108"),
    ("vllm", "0.8.5", f"--max-model-len 131072 --rope-scaling '{YARN}'", None),
    ("vllm", "0.8.5", f"--max-model-len 131073 --rope-scaling='{YARN}'", "ENG108"),
    ("vllm", "0.8.5", "--mem-fraction-static 0.8", "ENG405"),
    ("vllm", "0.9.1", "--limit-mm-per-prompt image=2", None),
    ("vllm", "0.10.1", "--limit-mm-per-prompt image=2", "ENG103"),
    ("vllm", "0.6.2", "--enable-auto-tool-choice --tool-call-parser llama3_json", "ENG106"),
    ("vllm", "0.6.4", "--enable-auto-tool-choice --tool-call-parser llama3_json", None),
    ("vllm", "0.6.4", "--enable-auto-tool-choice --tool-call-parser xlam", "ENG106"),
    ("vllm", "0.10.1", "--enable-auto-tool-choice --tool-call-parser openai", "ENG106"),
    ("vllm", "0.10.1", "--tool-call-parser openai", None),
    ("vllm", "0.10.2", "--enable-auto-tool-choice --tool-call-parser openai", None),
    ("vllm", "0.5.0", "--pipeline-parallel-size 2", "PAR406"),
    ("vllm", "0.6.2", "--pipeline-parallel-size 2", "PAR406"),
    ("vllm", "0.6.3", "--pipeline-parallel-size 2", None),
    ("vllm", "0.10.0", "--speculative-config '{\"model\":\"a/EAGLE-b\"}'", "SPC401"),
    ("vllm", "0.10.0", "--speculative-config '{\"model\":\"a/b\"}'", None),
    ("sglang", "0.4.6", "--attention-backend flashmla --kv-cache-dtype fp8_e4m3", "QNT403"),
    ("sglang", "0.4.7", "--attention-backend flashmla --kv-cache-dtype fp8_e4m3", None),
]  # fmt: skip
BEFORE_QWEN3 = {
    "0.5.0": "meta-llama/Llama-3.1-8B", "0.6.2": "ibm-granite/granite-3.2-2b-instruct",
    "0.6.3": "meta-llama/Llama-3.1-8B", "0.6.4": "meta-llama/Llama-3.1-8B",
}  # fmt: skip


@pytest.mark.parametrize(("engine", "version", "args", "code"), ROWS)
def test_a_release_refuses_what_it_refused(engine: str, version: str, args: str, code: str | None) -> None:
    program = "vllm serve" if engine == "vllm" else "sglang serve --model-path"
    model = BEFORE_QWEN3.get(version, "Qwen/Qwen3-8B") if engine == "vllm" else "Qwen/Qwen3-8B"
    report = api.lint(f"{program} {model} {args}", gpu="h200", gpus_per_node=8, version=version)
    codes = {each.code for each in report.findings if each.severity is Severity.ERROR}
    assert codes == ({code} if code else set())


@pytest.mark.parametrize(("switch", "found"), [("", {"PAR121", "QNT403"}), (" --enable-ep-moe", set())])
def test_older_switches_keep_experts_whole(switch: str, found: set[str]) -> None:
    command = f"sglang serve --model-path Qwen/Qwen3-235B-A22B-FP8 --tp-size 8{switch}"
    report = api.lint(command, gpu="h20", gpus_per_node=8, version="0.4.6")
    assert {each.code for each in report.findings if each.severity is Severity.ERROR} == found


@pytest.mark.parametrize(
    ("version", "model", "refused"),
    [
        ("0.10.1", "openai/gpt-oss-120b", True),
        ("0.10.1+cu126", "openai/gpt-oss-120b", True),
        ("0.10.1+gptoss", "openai/gpt-oss-120b", False),
        ("0.10.2rc1", "openai/gpt-oss-120b", False),
        ("0.10.2", "openai/gpt-oss-120b", False),
        ("0.20.2", "deepseek-ai/DeepSeek-V4-Flash", True),
        ("0.21.0", "deepseek-ai/DeepSeek-V4-Flash", False),
        ("0.24.0", "MiniMaxAI/MiniMax-M3", True),
        ("0.25.0", "MiniMaxAI/MiniMax-M3", False),
        ("0.9.2", "tencent/Hunyuan-A13B-Instruct", True),
        ("0.10.2", "tencent/Hunyuan-A13B-Instruct", False),
        ("0.8.3", "meta-llama/Llama-4-Scout-17B-16E-Instruct", True),
        ("0.8.4", "meta-llama/Llama-4-Scout-17B-16E-Instruct", False),
        ("0.6.3", "ibm-granite/granite-3.2-2b-instruct", False),
    ],
)
def test_classes_without_stages(version: str, model: str, refused: bool) -> None:
    command = f"vllm serve {model} --pipeline-parallel-size 2"
    report = api.lint(command, gpu="h200", gpus_per_node=8, engine="vllm", version=version)
    found = [each.message for each in report.findings if each.code == "PAR406"]
    assert [message.split(" has no ")[1] for message in found] == [
        "pipeline stages in this release"
    ] * refused
