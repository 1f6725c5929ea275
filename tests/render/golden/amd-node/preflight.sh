#!/usr/bin/env bash
# amd-node: checks on the host it runs on, before the start
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

check_amd_gpus() { # NEEDED
  local found
  if have amd-smi && found=$(amd-smi list 2>/dev/null); then
    compare_gpus "$found" "$1"
  elif have rocm-smi && found=$(rocm-smi --showid 2>/dev/null); then
    compare_gpus "$found" "$1"
  elif [[ -e /dev/kfd ]]; then
    skip "number of GPUs: neither amd-smi nor rocm-smi tells it"
  else
    fail "no AMD driver" "install amdgpu with ROCm, or go to a host with GPUs"
  fi
}

check_program() { # PROGRAM
  if have "$1"; then
    ok "$1 is on PATH"
  else
    fail "$1 is not on PATH" "install it, or activate the environment that has it"
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

check_path() { # PATH
  if [[ -e $1 ]]; then
    ok "checkpoint $1"
  else
    fail "no checkpoint at $1" "copy or mount it on this host"
  fi
}

case ${1:-node-0} in
  node-0 | 0)
    check_amd_gpus 8
    check_program sglang
    check_path /models/experts
    check_port 30000 'the API' 'or set serve.port in the recipe'
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
