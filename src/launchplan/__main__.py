"""`python -m launchplan` is `launchplan`."""

from launchplan.cli import main

if __name__ == "__main__":
    main()
