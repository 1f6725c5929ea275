"""`preflight.sh` on hosts that have everything, that lack things, and that lack even the tools to look."""

from __future__ import annotations

import re
import shlex
import socket
from pathlib import Path

import pytest

from launchplan.render import render_bundle
from tests.render.kit import Host, case_bundle, make_launch

NVIDIA = "#!/bin/bash\n[[ $* == *driver_version* ]] && echo 580.95.05 && exit\nfor gpu in {0..%d}; do echo \"GPU $gpu: NVIDIA H200 (UUID: GPU-$gpu)\"; done\necho '  MIG 1g'\n"
ROCM = '#!/bin/bash\nfor gpu in {0..%d}; do printf "GPU[$gpu]\\t: Device Name: x\\nGPU[$gpu]\\t: GUID: 1\\n"; done\n'
AMD = (
    '#!/bin/bash\nfor gpu in {0..%d}; do printf "GPU: $gpu\\n    BDF: 0000:05:00.0\\n    UUID: 1\\n"; done\n'
)
SS = "#!/bin/bash\necho 'State Recv-Q'\n[[ $* == *:%s* ]] && echo 'LISTEN 0 4096'\nexit 0\n"
DF = "#!/bin/bash\nprintf 'Filesystem 1024-blocks Used Available\\n/dev/sda 9 1 %d 10%%%%%%%% /\\n'\n"
DU = "#!/bin/bash\nprintf '%%s\\t%%s\\n' %d \"${@: -1}\"\n"


def says(text: str) -> str:
    return f"#!/bin/bash\nprintf '%s\\n' {shlex.quote(text)}\n"


def host_of(case: str, root: Path, **programs: str) -> Host:
    host = Host(root)
    host.put(case_bundle(case))
    for name, text in programs.items():
        host.program(name.replace("_", "-"), text)
    return host


def check(host: Host, *arguments: str, env: dict[str, str] | None = None) -> tuple[int, list[str], str]:
    """Run the checks with no other program than those of the host."""
    script = str(host.bundle / "preflight.sh")
    run = host.run("/bin/bash", script, *arguments, env=env, path=str(host.programs))
    return run.code, run.stdout.splitlines(), run.stderr


def test_everything_is_there(tmp_path: Path) -> None:
    host = host_of(
        "two-nodes", tmp_path,
        nvidia_smi=NVIDIA % 7, vllm=says("INFO starting\n0.33.0"), ss=SS % "9", df=DF % (3000 * 2**20), du=DU % 0,
    )  # fmt: skip
    env = {"HEAD_ADDR": "10.0.0.1", "NODE_IFNAME": "lo", "HF_HOME": str(tmp_path)}
    assert check(host, "node-0", env=env) == (
        0,
        [
            "ok    HEAD_ADDR is 10.0.0.1",
            "ok    8 GPUs, 8 needed",
            "ok    driver 580.95.05, 580 or newer for CUDA 13",
            "ok    vllm 0.33.0",
            "ok    network interface lo",
            f"ok    room for the checkpoint: 3000 GiB free and 0 GiB there in {tmp_path}/hub, 2325 GiB needed",
            "ok    port 8000 for the API is free",
            "ok    port 29501 for the rendezvous is free",
        ],
        "",
    )


def test_everything_is_wrong(tmp_path: Path) -> None:
    host = host_of(
        "two-nodes", tmp_path,
        nvidia_smi=NVIDIA % 3, vllm=says("0.33.1"), ss=SS % "29501", df=DF % (2000 * 2**20), du=DU % (324 * 2**20),
    )  # fmt: skip
    (tmp_path / "hub/models--Qwen--Qwen3.8-2.4T-A95B-FP8").mkdir(parents=True)
    code, lines, errors = check(host, "0", env={"NODE_IFNAME": "nosuch0", "HF_HOME": str(tmp_path)})
    assert (code, errors) == (1, "5 of the checks failed\n")
    interfaces = " ".join(sorted(path.name for path in Path("/sys/class/net").iterdir()))
    assert lines == [
        "FAIL  HEAD_ADDR is not set; export HEAD_ADDR, address of node 0, as the other hosts reach it",
        "FAIL  4 GPUs, 8 needed; take another host, or lay the model out on fewer GPUs",
        "ok    driver 580.95.05, 580 or newer for CUDA 13",
        "warn  vllm is '0.33.1'; everything here was checked for 0.33.0",
        f"FAIL  no network interface nosuch0; take one of: {interfaces}",
        (
            f"FAIL  2000 GiB free and 324 GiB there in {tmp_path}/hub, 2325 GiB needed; "
            "make room, or set HF_HOME to a larger disk"
        ),
        "ok    port 8000 for the API is free",
        (
            "FAIL  port 29501 for the rendezvous is taken; "
            "stop what listens there, or set ports.rendezvous in the cluster file"
        ),
    ]


def test_no_tools_at_all(tmp_path: Path) -> None:
    code, lines, errors = check(
        host_of("two-nodes", tmp_path), "node-1", env={"HEAD_ADDR": "h", "NODE_IFNAME": "lo", "HOME": "/x"}
    )
    assert (code, errors) == (1, "2 of the checks failed\n")
    assert lines == [
        "ok    HEAD_ADDR is h",
        "FAIL  no NVIDIA driver; install it, or go to a host with GPUs",
        "FAIL  vllm is not on PATH; activate the environment that has vllm 0.33.0",
        "ok    network interface lo",
        "skip  room for the checkpoint: df or du not found",
    ]


def test_nothing_in_the_environment(tmp_path: Path) -> None:
    host = host_of(
        "two-nodes",
        tmp_path,
        nvidia_smi="#!/bin/bash\necho 'no device'\nexit 9\n",
        vllm="#!/bin/bash\nexit 1\n",
    )
    code, lines, errors = check(host, "1")
    assert lines.pop(0).startswith("FAIL  HEAD_ADDR is not set; ")
    interfaces = " ".join(sorted(path.name for path in Path("/sys/class/net").iterdir()))
    assert (code, errors) == (1, "3 of the checks failed\n")
    assert lines == [
        "FAIL  nvidia-smi: no device; mend the driver",
        "skip  release of vllm: 'vllm --version' does not tell it, 0.33.0 wanted",
        f"FAIL  NODE_IFNAME is not set; export NODE_IFNAME with one of: {interfaces}",
        "skip  room for the checkpoint: neither HF_HOME nor HOME is set",
    ]


@pytest.mark.parametrize(
    ("driver", "line"),
    [
        ("590.48.01", "ok    driver 590.48.01, 580 or newer for CUDA 13"),
        ("1000", "ok    driver 1000, 580 or newer for CUDA 13"),
        (
            "575.57.08",
            (
                "warn  driver 575.57.08 is older than 580, which CUDA 13 of vllm 0.33.0 needs; update it, or, on "
                "data centre GPUs, use NVIDIA's forward compatibility package"
            ),
        ),
        (
            "[N/A]",
            "skip  driver: nvidia-smi does not tell its version, 580 or newer wanted for CUDA 13",
        ),
    ],
)
def test_driver(driver: str, line: str, tmp_path: Path) -> None:
    host = host_of(
        "two-nodes", tmp_path,
        nvidia_smi=(NVIDIA % 7).replace("580.95.05", f"'{driver}' && echo '{driver}'"), vllm=says("0.33.0"),
        ss=SS % "9", df=DF % (3000 * 2**20), du=DU % 0,
    )  # fmt: skip
    env = {"HEAD_ADDR": "10.0.0.1", "NODE_IFNAME": "lo", "HF_HOME": str(tmp_path)}
    code, lines, errors = check(host, "node-0", env=env)
    assert (code, lines[2], errors) == (0, line, "")


@pytest.mark.parametrize(
    ("programs", "line"),
    [
        ({"rocm_smi": ROCM % 7}, "ok    8 GPUs, 8 needed"),
        ({"amd_smi": AMD % 7}, "ok    8 GPUs, 8 needed"),
        ({"amd_smi": "#!/bin/bash\nexit 1\n", "rocm_smi": ROCM % 7}, "ok    8 GPUs, 8 needed"),
        (
            {"amd_smi": AMD % 6},
            "FAIL  7 GPUs, 8 needed; take another host, or lay the model out on fewer GPUs",
        ),
        ({}, "FAIL  no AMD driver; install amdgpu with ROCm, or go to a host with GPUs"),
    ],
)
def test_amd(programs: dict[str, str], line: str, tmp_path: Path) -> None:
    code, lines, _ = check(host_of("amd-node", tmp_path, sglang=says("x"), ss=SS % "9", **programs))
    assert code == 1
    assert lines == [
        line,
        "ok    sglang is on PATH",
        "FAIL  no checkpoint at /models/experts; copy or mount it on this host",
        "ok    port 30000 for the API is free",
    ]


def test_pools_and_router(tmp_path: Path) -> None:
    host = host_of(
        "pools-sglang", tmp_path, nvidia_smi=NVIDIA % 7, sglang=says("sglang version: 0.5.23"), ss=SS % "8080"
    )
    env = {"NODE_IFNAME": "lo", "PREFILL_HEAD_ADDR": "10.0.0.1", "DECODE_HEAD_ADDR": "10.0.0.2"}
    engine = [
        "ok    8 GPUs, 8 needed",
        "ok    driver 580.95.05, 580 or newer for CUDA 13",
        "ok    sglang 0.5.23",
        "ok    network interface lo",
        "ok    port 30000 for the API is free",
    ]
    assert check(host, "prefill-0", env=env) == (
        0,
        [*engine, "ok    port 8998 for the KV bootstrap is free"],
        "",
    )
    assert check(host, "decode-0", env=env) == (0, engine, "")
    assert check(host, "router", env=env) == (
        1,
        [
            "ok    DECODE_HEAD_ADDR is 10.0.0.2",
            "ok    PREFILL_HEAD_ADDR is 10.0.0.1",
            "FAIL  python3 is not on PATH; install it, or activate the environment that has it",
            "FAIL  port 8080 for the API is taken; stop what listens there, or set router.port in the recipe",
        ],
        "2 of the checks failed\n",
    )
    assert check(host, "node-7") == (
        2,
        [],
        "no process or host node-7; there are prefill-0 decode-0 router\n",
    )
    assert check(host) == (2, [], "say which process starts on this host: prefill-0 decode-0 router\n")


@pytest.mark.parametrize(
    ("case", "node", "taken", "lines"),
    [
        ("data-parallel", "node-0", "29550", [
            "ok    port 8000 for the API is free",
            ("FAIL  port 29550 for data parallelism is taken; "
            "stop what listens there, or set ports.data_parallel_rpc in the cluster file"),
        ]),
        ("data-parallel", "node-1", "29550", []),
        ("pools-vllm", "prefill-1", "5601", [
            "ok    port 8000 for the API is free",
            "ok    port 5600 for the KV side channel is free",
        ]),
        ("pools-vllm", "decode-0", "5600", [
            "ok    port 8000 for the API is free",
            "ok    port 29550 for data parallelism is free",
            ("FAIL  of the ports 5600 to 5607 for the KV side channel, 5600 taken; "
            "stop what listens there, or set ports.kv_side_channel in the cluster file"),
        ]),
        ("pools-vllm", "decode-1", "5607", ["ok    ports 5608 to 5615 for the KV side channel are free"]),
    ],
)  # fmt: skip
def test_ports_that_a_process_takes(
    case: str, node: str, taken: str, lines: list[str], tmp_path: Path
) -> None:
    _, said, _ = check(host_of(case, tmp_path, ss=SS % taken), node)
    assert [line for line in said if re.search(r"\bports? \d{4}", line)] == lines


def test_hosts_of_the_cluster_file(tmp_path: Path) -> None:
    host = host_of(
        "two-nodes-on-site", tmp_path, nvidia_smi=NVIDIA % 7, vllm=says("0.33.0+cu130"), ss=SS % "9"
    )
    code, lines, _ = check(host, "gpu-b")
    interfaces = " ".join(sorted(path.name for path in Path("/sys/class/net").iterdir()))
    assert code == 1
    assert lines == [
        "ok    8 GPUs, 8 needed",
        "ok    driver 580.95.05, 580 or newer for CUDA 13",
        "ok    vllm 0.33.0",
        f"FAIL  no network interface bond1; take one of: {interfaces}",
        "FAIL  no checkpoint at /models/qwen3.8-fp8; copy or mount it on this host",
    ]


def test_a_port_is_tried_where_ss_is_missing(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        recipe = {
            "launchplan": 1, "name": "ports", "model": "nobody/knows", "engine": {"name": "vllm"},
            "hardware": {"gpu": "h200"}, "serve": {"port": port},
        }  # fmt: skip
        host = Host(tmp_path)
        host.put(render_bundle(make_launch(recipe), (), ("shell",), None))
        _, taken, _ = check(host)
    _, free, _ = check(host)
    cure = "stop what listens there, or set serve.port in the recipe"
    assert taken[-1] == f"FAIL  port {port} for the API is taken; {cure}"
    assert free[-1] == f"ok    port {port} for the API is free"


def test_df_that_does_not_tell(tmp_path: Path) -> None:
    host = host_of("two-nodes", tmp_path, df="#!/bin/bash\nexit 1\n", du="#!/bin/bash\nexit 1\n", ss=SS % "9")
    _, lines, _ = check(host, "node-0", env={"HF_HUB_CACHE": str(tmp_path / "none" / "hub")})
    assert lines[4] == f"skip  room for the checkpoint: df does not tell it for {tmp_path}"
