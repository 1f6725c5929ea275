"""Ask installed engines about what `launchplan fit` offers: see `__main__`."""
