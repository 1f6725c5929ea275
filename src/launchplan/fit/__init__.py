"""Search over layouts: what has to be rented for a model, and how it is laid out."""
