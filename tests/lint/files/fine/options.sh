options=(--detach --ipc host)
for device in /dev/infiniband /dev/gdrdrv; do
  if [[ -e $device ]]; then options+=(--device "$device"); fi
done
args=(serve Qwen/Qwen3-8B --nnodes 2 --node-rank 0 --master-addr "${HEAD_ADDR}" --tensor-parallel-size 2)
exec docker run "${options[@]}" --env HF_TOKEN --gpus all --entrypoint vllm vllm/vllm-openai:v0.33.0 "${args[@]}" "$@"
