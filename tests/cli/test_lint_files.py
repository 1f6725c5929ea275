"""`launchplan lint` on several files: exit codes, what `--fix` writes and leaves, deployments over files."""

from __future__ import annotations

import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

Runner = Callable[..., Any]
OLD = "vllm serve Qwen/Qwen3-8B \\\r\n\t--eplb-window-size 100 --port 1\r\n# é, and no end of the last line"
NEW = OLD.replace("--eplb-window-size", "--eplb-config.window_size")


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    ("text", "flags", "code"),
    [
        ("vllm serve Qwen/Qwen3-8B\n", (), 0),
        ("echo no server\n", (), 0),
        ("VLLM_NOSUCH=1 vllm serve Qwen/Qwen3-8B\n", (), 0),
        ("VLLM_NOSUCH=1 vllm serve Qwen/Qwen3-8B\n", ("--strict",), 1),
        ("vllm serve Qwen/Qwen3-8B --nosuch\n", (), 1),
        ("vllm serve Qwen/Qwen3-8B --swap-space 4\n", ("--diff",), 1),
        ("vllm serve Qwen/Qwen3-8B --swap-space 4\n", ("--fix",), 0),
        ("vllm serve Qwen/Qwen3-8B 'open\n", (), 2),
        ("\0", (), 2),
    ],
)
def test_exit_codes(launchplan: Runner, files: Path, text: str, flags: tuple[str, ...], code: int) -> None:
    put(files / "a.sh", text)
    assert launchplan("lint", "a.sh", *flags).code == code


def test_a_file_that_is_not_there(launchplan: Runner, files: Path) -> None:
    put(files / "a.sh", "vllm serve Qwen/Qwen3-8B --nosuch\n")
    assert launchplan("lint", "a.sh", "gone.sh").code == 2


def test_fix_keeps_every_other_byte_and_what_the_file_is(launchplan: Runner, files: Path) -> None:
    real = put(files / "real.sh", OLD)
    real.chmod(0o750)
    (files / "link.sh").symlink_to("real.sh")
    assert launchplan("lint", "link.sh", "--fix").code == 0
    assert (files / "link.sh").is_symlink()
    assert real.read_bytes() == NEW.encode()
    assert stat.S_IMODE(real.stat().st_mode) == 0o750
    assert sorted(path.name for path in files.iterdir() if path.name.startswith(".")) == []


def test_fix_writes_the_good_file_beside_a_bad_one(launchplan: Runner, files: Path) -> None:
    good, bad = put(files / "good.sh", OLD), put(files / "bad.sh", "\0" + OLD)
    assert launchplan("lint", "bad.sh", "good.sh", "--fix").code == 2
    assert good.read_bytes() == NEW.encode()
    assert bad.read_bytes() == ("\0" + OLD).encode()


def test_fix_leaves_a_read_only_file(launchplan: Runner, files: Path) -> None:
    path = put(files / "a.sh", OLD)
    path.chmod(0o444)
    ran = launchplan("lint", "a.sh", "--fix")
    assert (ran.code, ran.err.splitlines()[0]) == (
        2,
        "error: a.sh is read-only; --diff shows what would change",
    )
    assert path.read_bytes() == OLD.encode()


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_fix_writes_a_file_whole_or_not_at_all(
    launchplan: Runner, files: Path, monkeypatch: pytest.MonkeyPatch, failure: BaseException
) -> None:
    path = put(files / "a.sh", OLD)

    def fail(*_: object) -> None:
        raise failure

    monkeypatch.setattr("os.fsync", fail)
    there = {each.name for each in files.iterdir()}
    with suppress(KeyboardInterrupt):
        assert launchplan("lint", "a.sh", "--fix").code != 0
    assert path.read_bytes() == OLD.encode()
    assert {each.name for each in files.iterdir()} == there


NODE = "vllm serve Qwen/Qwen3-8B --nnodes 2 --master-addr $HEAD --tensor-parallel-size {} --node-rank {}\n"
SIDE = "python -m sglang.launch_server --model-path Qwen/Qwen3-8B --disaggregation-mode {} --page-size {}\n"


def errors(launchplan: Runner, *names: str) -> list[str]:
    return [line for line in launchplan("lint", *names).out.splitlines() if ": error " in line]


def test_nodes_in_files_of_their_own_are_compared(launchplan: Runner, files: Path) -> None:
    put(files / "head.sh", NODE.format(2, 0))
    put(files / "worker.sh", NODE.format(4, 1).replace("\n", " --headless\n"))
    assert errors(launchplan, "head.sh", "worker.sh") == [
        "worker.sh:1:57: error CMD112 nodes-agree: --tensor-parallel-size is 4 on node 1 and 2 on node 0 (head.sh)"
    ]
    assert errors(launchplan, "worker.sh") == errors(launchplan, "head.sh") == []


def test_prefill_and_decode_in_files_of_their_own_are_compared(launchplan: Runner, files: Path) -> None:
    put(files / "prefill.sh", SIDE.format("prefill", 64))
    put(files / "decode.sh", SIDE.format("decode", 16))
    assert errors(launchplan, "decode.sh", "prefill.sh") == [
        (
            "decode.sh:1:1: error DIS103 pools-share-blocks: the prefill server of prefill.sh has page size 64, "
            "this decode server 16"
        )
    ]


def test_what_may_be_two_deployments_is_not_compared(launchplan: Runner, files: Path) -> None:
    names = []
    for folder, size in (("a", 2), ("b", 4)):
        for rank, more in ((0, ""), (1, " --headless")):
            path = put(files / folder / f"{rank}.sh", NODE.format(size, rank).replace("\n", f"{more}\n"))
            names.append(str(path.relative_to(files)))
    put(files / "h200.sh", NODE.format(2, 0))
    put(files / "b200.sh", NODE.format(4, 0))
    put(files / "worker.sh", NODE.format(4, 1).replace("\n", " --headless\n"))
    put(files / "p1.sh", SIDE.format("prefill", 64))
    put(files / "p2.sh", SIDE.format("prefill", 16))
    put(files / "d.sh", SIDE.format("decode", 16))
    assert errors(launchplan, *names[::2], *names[1::2]) == []
    assert errors(launchplan, "h200.sh", "b200.sh", "worker.sh", "p1.sh", "p2.sh", "d.sh") == []


KINDS = {
    "a.sh": "vllm serve /models/x --tensor-parallel-size 3\n",
    "a.md": "```bash\nvllm serve /models/x --tensor-parallel-size 3\n```\n",
    "a.html": "<html><pre>vllm serve /models/x --tensor-parallel-size 3</pre></html>\n",
    "a.sbatch": "#!/bin/bash\n#SBATCH --nodes=1\nsrun vllm serve /models/x --tensor-parallel-size 3\n",
    "Dockerfile": 'FROM vllm/vllm-openai:v0.33.0\nCMD ["--model", "/models/x", "--tensor-parallel-size", "3"]\n',
    "run.sh": "docker run --ipc host vllm/vllm-openai:v0.33.0 --model /models/x --tensor-parallel-size 3\n",
    "compose.yaml": (
        "services:\n  a:\n    image: vllm/vllm-openai:v0.33.0\n    ipc: host\n"
        "    command: --model /models/x --tensor-parallel-size 3\n"
    ),
    "pod.yaml": (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: a\n"
        "    image: vllm/vllm-openai:v0.33.0\n    args: [--model, /models/x, --tensor-parallel-size, '3']\n"
        "    volumeMounts: [{name: s, mountPath: /dev/shm}]\n"
        "  volumes: [{name: s, emptyDir: {medium: Memory}}]\n"
    ),
    "a.service": "[Service]\nExecStart=/usr/bin/vllm serve /models/x --tensor-parallel-size 3\n",
}


@pytest.mark.parametrize("name", KINDS)
def test_a_path_of_another_machine_is_judged_by_the_config_given(
    launchplan: Runner, files: Path, name: str
) -> None:
    put(files / name, KINDS[name])
    put(files / "config.json", CONFIG)
    assert errors(launchplan, name) == []
    (error,) = errors(launchplan, name, "--model-config", "config.json")
    assert error.partition(": ")[2] == "error PAR101 tp-splits-heads: tp 3 does not divide 32 attention heads"


CONFIG = """{"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "hidden_size": 4096,
"num_hidden_layers": 36, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,
"intermediate_size": 12288, "vocab_size": 151936, "max_position_embeddings": 40960, "torch_dtype": "bfloat16"}
"""
