"""Bytes: what a checkpoint holds, what a rank holds of it, and what KV cache and state take."""
