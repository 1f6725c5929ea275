#!/bin/bash
exec vllm serve Qwen/Qwen3-32B \
  --tensor-parallel-size 12 \
  --max-model-len 8192
