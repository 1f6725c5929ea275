"""KV cache and recurrent state, as each engine accounts for them."""
