"""Record the verdicts of an installed engine, without a GPU: see `__main__`."""
