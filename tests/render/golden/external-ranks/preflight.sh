#!/usr/bin/env bash
# external-ranks: checks on the host it runs on, before the start
# Usage: ./preflight.sh NODE, the process that starts on this host (node-0 node-1) or the host's index
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

check_ports() { # FIRST LAST WHAT CURE
  local port taken=()
  for ((port = $1; port <= $2; port++)); do
    if port_taken "$port"; then
      taken+=("$port")
    fi
  done
  if ((${#taken[@]} > 0)); then
    fail "of the ports $1 to $2 for $3, ${taken[*]} taken" "stop what listens there, $4"
  else
    ok "ports $1 to $2 for $3 are free"
  fi
}

check_variable() { # VALUE NAME MEANING
  if [[ -n $1 ]]; then
    ok "$2 is $1"
  else
    fail "$2 is not set" "export $2, $3"
  fi
}

check_interface() { # NAME VARIABLE
  local known=(/sys/class/net/*)
  if [[ -z $1 ]]; then
    fail "$2 is not set" "export $2 with one of: ${known[*]##*/}"
  elif [[ -e /sys/class/net/$1 ]]; then
    ok "network interface $1"
  elif [[ -e ${known[0]} ]]; then
    fail "no network interface $1" "take one of: ${known[*]##*/}"
  elif ! have ip; then
    skip "network interface $1: ip not found"
  elif ip link show dev "$1" >/dev/null 2>&1; then
    ok "network interface $1"
  else
    fail "no network interface $1" "see: ip -brief address"
  fi
}

case ${1-} in
  node-0 | 0)
    check_variable "${HEAD_ADDR:-}" HEAD_ADDR 'address of node 0, as the other hosts reach it'
    check_nvidia_gpus 8
    check_driver 580 'CUDA 13' 'vllm 0.33.0'
    check_engine 0.33.0 vllm --version
    check_interface "${NODE_IFNAME:-}" NODE_IFNAME
    check_ports 8000 8003 'the API' 'or set serve.port in the recipe'
    check_port 29550 'data parallelism' 'or set ports.data_parallel_rpc in the cluster file'
    check_port 9256 'the health of all ranks' 'or set args.data-parallel-supervisor-port in the recipe'
    ;;
  node-1 | 1)
    check_variable "${HEAD_ADDR:-}" HEAD_ADDR 'address of node 0, as the other hosts reach it'
    check_nvidia_gpus 8
    check_driver 580 'CUDA 13' 'vllm 0.33.0'
    check_engine 0.33.0 vllm --version
    check_interface "${NODE_IFNAME:-}" NODE_IFNAME
    check_ports 8000 8003 'the API' 'or set serve.port in the recipe'
    check_port 9256 'the health of all ranks' 'or set args.data-parallel-supervisor-port in the recipe'
    ;;
  '')
    echo "say which process starts on this host: node-0 node-1" >&2
    exit 2
    ;;
  *)
    echo "no process or host $1; there are node-0 node-1" >&2
    exit 2
    ;;
esac

if ((failed > 0)); then
  echo "$failed of the checks failed" >&2
  exit 1
fi
