"""Options that the tests share."""

from __future__ import annotations

import signal

import pytest


def pytest_configure() -> None:
    """Take Ctrl-C back: a job in the background ignores it, and the programs that tests interrupt inherit that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write what is made over what is expected")


@pytest.fixture(scope="session")
def update_golden(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-golden"))
