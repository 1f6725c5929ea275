"""`python -m launchplan` is `launchplan`."""

if __name__ == "__main__":
    try:
        from launchplan.cli import main

        main()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
