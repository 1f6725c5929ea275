#!/usr/bin/env bash
# qwen3.8-nvfp4-8xb300-long: checks on the host it runs on, before the start
# Usage: ./preflight.sh
set -euo pipefail

failed=0
ok() { printf 'ok    %s\n' "$*"; }
skip() { printf 'skip  %s\n' "$*"; }
fail() { # WHAT CURE
  printf 'FAIL  %s; %s\n' "$1" "$2"
  failed=$((failed + 1))
}
have() { command -v "$1" >/dev/null 2>&1; }

compare_gpus() { # LISTING NEEDED
  local -A found=()
  local line
  while IFS= read -r line; do
    if [[ $line =~ ^GPU[:\ \[]+([0-9]+) ]]; then
      found[${BASH_REMATCH[1]}]=1
    fi
  done <<<"$1"
  if ((${#found[@]} >= $2)); then
    ok "${#found[@]} GPUs, $2 needed"
  else
    fail "${#found[@]} GPUs, $2 needed" "take another host, or lay the model out on fewer GPUs"
  fi
}

check_nvidia_gpus() { # NEEDED
  local found
  if have nvidia-smi; then
    if found=$(nvidia-smi -L 2>&1); then
      compare_gpus "$found" "$1"
    else
      fail "nvidia-smi: ${found:0:200}" "mend the driver"
    fi
  elif [[ -e /proc/driver/nvidia/version ]]; then
    skip "number of GPUs: nvidia-smi not found"
  else
    fail "no NVIDIA driver" "install it, or go to a host with GPUs"
  fi
}

check_driver() { # OLDEST TOOLKIT ENGINE
  local found
  if ! have nvidia-smi; then
    return # said above
  fi
  if ! found=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null); then
    return # said above
  fi
  found=${found%%$'\n'*}
  if [[ ! $found =~ ^([0-9]+)(\.[0-9]+)*$ ]]; then
    skip "driver: nvidia-smi does not tell its version, $1 or newer wanted for $2"
  elif ((10#${BASH_REMATCH[1]} >= 10#${1%%.*})); then
    ok "driver $found, $1 or newer for $2"
  else
    printf 'warn  %s\n' "driver $found is older than $1, which $2 of $3 needs; update it, or, on data centre GPUs, use NVIDIA's forward compatibility package"
  fi
}

check_engine() { # VERSION PROGRAM ARGUMENT
  local limit=() found
  if ! have "$2"; then
    fail "$2 is not on PATH" "activate the environment that has $2 $1"
    return
  fi
  if have timeout; then
    limit=(timeout 120)
  fi
  if ! found=$("${limit[@]}" "$2" "$3" 2>/dev/null); then
    skip "release of $2: '$2 $3' does not tell it, $1 wanted"
  elif [[ " ${found//[^0-9A-Za-z.+]/ } " == *" $1"[\ +]* ]]; then
    ok "$2 $1"
  else
    printf 'warn  %s\n' "$2 is '${found##*$'\n'}'; everything here was checked for $1"
  fi
}

port_taken() { # PORT
  if have ss; then
    [[ $(ss -ltn "sport = :$1" 2>/dev/null) == *LISTEN* ]]
  else
    (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
  fi
}

check_port() { # PORT WHAT CURE
  if port_taken "$1"; then
    fail "port $1 for $2 is taken" "stop what listens there, $3"
  else
    ok "port $1 for $2 is free"
  fi
}

check_disk() { # FOLDER-IN-CACHE NEEDED-GIB CACHE
  local cache=${3:-${HF_HUB_CACHE:-${HF_HOME:+$HF_HOME/hub}}} folder free there=0
  if [[ -z $cache && -n ${HOME:-} ]]; then
    cache=$HOME/.cache/huggingface/hub
  fi
  if [[ -z $cache ]]; then
    skip "room for the checkpoint: neither HF_HOME nor HOME is set"
    return
  fi
  if ! have df || ! have du; then
    skip "room for the checkpoint: df or du not found"
    return
  fi
  folder=$cache
  while [[ ! -d $folder && $folder == */?* ]]; do
    folder=${folder%/*}
  done
  { read -r _ && read -r _ _ _ free _; } < <(df -Pk -- "${folder:-/}" 2>/dev/null) || free=
  if [[ -d $cache/$1 ]]; then
    read -r there _ < <(du -sk -- "$cache/$1" 2>/dev/null) || there=0
  fi
  if [[ ! $free =~ ^[0-9]+$ ]]; then
    skip "room for the checkpoint: df does not tell it for ${folder:-/}"
    return
  fi
  free=$((free / 1048576)) there=$((there / 1048576))
  if ((free + there >= $2)); then
    ok "room for the checkpoint: $free GiB free and $there GiB there in $cache, $2 GiB needed"
  else
    fail "$free GiB free and $there GiB there in $cache, $2 GiB needed" "make room, or set HF_HOME to a larger disk"
  fi
}

case ${1:-node-0} in
  node-0 | 0)
    check_nvidia_gpus 8
    check_driver 580 'CUDA 13' 'vllm 0.33.0'
    check_engine 0.33.0 vllm --version
    check_disk models--Inferact--Qwen3.8-2.4T-A95B-NVFP4 1348 ''
    check_port 8000 'the API' 'or set serve.port in the recipe'
    ;;
  *)
    echo "no process or host $1; there are node-0" >&2
    exit 2
    ;;
esac

if ((failed > 0)); then
  echo "$failed of the checks failed" >&2
  exit 1
fi
