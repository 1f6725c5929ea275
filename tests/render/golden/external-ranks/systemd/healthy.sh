#!/usr/bin/env bash
# external-ranks: waits until every URL answers, for as long as the process runs
# Usage: healthy.sh PID URL...; PID 0 is no process to look at
set -euo pipefail

pid=$1
shift
for url in "$@"; do
  until curl --silent --fail --insecure --output /dev/null --max-time 5 --noproxy '*' "$url"; do
    if ((pid > 0)) && ! kill -0 "$pid" 2>/dev/null; then
      echo "the process ended before $url answered" >&2
      exit 1
    fi
    sleep 5
  done
done
