"""The script that a server runs under where Ray places its ranks, and the words that call it.

Ray hands out what it has when the server asks: data parallel ranks for which it has no GPUs then are an
error (vLLM 0.33.0 vllm/v1/engine/utils.py:843), so the server waits for every host. Bundles hold the script;
containers, which see no bundle, are given its text.
"""

from __future__ import annotations

from launchplan.engines import RayHead, Value
from launchplan.engines.launch import text

SCRIPT = """\
# Starts Ray's head, waits until the GPUs of all hosts have joined, runs a server, and ends Ray with it.
# Usage: with-ray.sh GPUS ADDRESS RAY-COMMAND... -- SERVER-COMMAND...
set -euo pipefail

gpus=$1
export RAY_ADDRESS=$2
shift 2
head=()
while [[ $1 != -- ]]; do
  head+=("$1")
  shift
done
shift

ended='' running=()
trap 'ended=1; kill -TERM "${running[@]}" 2>/dev/null || :' TERM INT

finish() { # PID: waits for a process, also where a signal comes in between; gives its code
  local code=0
  wait "$1" || code=$?
  while kill -0 "$1" 2>/dev/null; do
    code=0
    wait "$1" || code=$?
  done
  return "$code"
}

env -u RAY_ADDRESS "${head[@]}" --block &
ray=$!
running=("$ray")

python3 -c '
import sys
import time

import ray

wanted, seen = float(sys.argv[1]), -1
ray.init(log_to_driver=False)
while (found := ray.cluster_resources().get("GPU", 0)) < wanted:
    if found != seen:
        print(f"Ray has {found:g} of {wanted:g} GPUs; waiting for the other hosts", flush=True)
        seen = found
    time.sleep(2)
' "$gpus" &
waiting=$!
running=("$waiting" "$ray")
code=0
wait -n "$waiting" "$ray" || code=$?
if kill -0 "$ray" 2>/dev/null && [[ -z $ended ]] && finish "$waiting"; then
  "$@" &
  server=$!
  running=("$server")
  code=0
  finish "$server" || code=$?
fi
kill -TERM "$waiting" "$ray" 2>/dev/null || :
finish "$ray" || :
exit "$code"
"""
FILE = "with-ray.sh"


def words_before(ray: RayHead) -> tuple[Value, ...]:
    """Give what stands between the script and the server's command: GPUs, address, Ray's command."""
    return (text(str(ray.gpus)), ray.address, *ray.argv, text("--"))


def in_container(ray: RayHead) -> tuple[Value, ...]:
    """Give the words in front of the server's command where no bundle is at hand."""
    return (text("/bin/bash"), text("-c"), text(SCRIPT), text("with-ray"), *words_before(ray))
