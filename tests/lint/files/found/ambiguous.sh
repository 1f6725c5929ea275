#!/bin/bash
python -m sglang.launch_server --model-path Qwen/Qwen3-8B --cuda-graph-max-bs 64
sglang serve --model-path Qwen/Qwen3-8B --tp 2 --pp 2
