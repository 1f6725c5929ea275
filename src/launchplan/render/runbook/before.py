"""Before the start: what only the site knows, the engine, the weights, and the checks of each host."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from launchplan.engines import Launch, Site, Value
from launchplan.engines.commands import bare_text, shell_word
from launchplan.engines.launch import text
from launchplan.render.runbook.blocks import Block, Step
from launchplan.render.runbook.facts import router_release
from launchplan.render.runbook.install import engine_steps
from launchplan.render.shell.checks import HostChecks, preflight
from launchplan.render.shell.scripts import LOCAL_CACHE, Script

_PATH_STARTS = ("/", "./", "../")


@dataclass(frozen=True, slots=True)
class SiteValue:
    """A value that only the site knows."""

    variable: str
    meaning: str
    scripts: str
    """Which scripts need it."""


def site_values(launch: Launch, made: tuple[Script, ...], *, scripted: bool) -> Iterator[SiteValue]:
    """List what the site must say; scripts have a folder of their own for LOCAL_CACHE."""
    suffix, all_of_them = (".sh", "all scripts of processes") if scripted else ("", "all processes")
    for site in launch.sites():
        optional = "; left out: /tmp/launchplan-$UID" if scripted and site.variable == LOCAL_CACHE else ""
        used = [f"{script.name}{suffix}" for script in made if site.variable in script.sites]
        where = all_of_them if len(used) == len(made) > 1 else ", ".join(used)
        yield SiteValue(site.variable, f"{site.hint}{optional}", where)


def site_block(launch: Launch, *, scripted: bool) -> Block | None:
    """Write the lines to fill in; None when the site has nothing to say."""
    optional = {LOCAL_CACHE} if scripted else set()
    names = [site.variable for site in launch.sites() if site.variable not in optional]
    lines = "\n".join(f"export {name}=" for name in names)
    return Block("what this site must say", lines) if names else None


def preparations(launch: Launch) -> Iterator[Step]:
    """Give the commands that bring the pinned engine and the weights to a host."""
    yield from engine_steps(launch)
    yield from _router(launch)
    yield from _weights(launch)


def _weights(launch: Launch) -> Iterator[Step]:
    """Give the download of what the processes load from the hub: the checkpoint, and what drafts."""
    drafts = (pool.speculative.model for pool in launch.layout.resolved.pools if pool.speculative)
    wanted = (bare_text(launch.processes[0].model), *(draft for draft in drafts if draft is not None))
    hosted = [each for each in dict.fromkeys(wanted) if "/" in each and not each.startswith(_PATH_STARTS)]
    if hosted:
        lines = "\n".join(f"hf download {shell_word(text(each))}" for each in hosted)
        yield Step(
            "The weights, on every host or once into a folder that all of them share (`HF_HOME`):",
            Block("download of the weights", lines),
        )


def _router(launch: Launch) -> Iterator[Step]:
    """Give the package of the router, which comes with neither engine."""
    release = router_release(launch)
    if release is not None:
        package = "==".join(release)
        yield Step(
            "The router, on its host:", Block("installation of the router", f"uv pip install {package}")
        )


def checks(launch: Launch) -> tuple[Step, ...]:
    """Give the check of each host with what it prints where all is well."""
    made = preflight(launch)
    return tuple(
        Step("", Block(f"check of {host.name}", f"./preflight.sh {host.name}"), tuple(_expected(host)))
        for host in made.hosts
    )


_EXPECTED: Mapping[str, Callable[..., str]] = MappingProxyType(
    {
        "check_nvidia_gpus": lambda needed: f"{needed} GPUs, {needed} needed",
        "check_amd_gpus": lambda needed: f"{needed} GPUs, {needed} needed",
        "check_driver": lambda oldest, toolkit, _: f"driver ..., {oldest} or newer for {toolkit}",
        "check_engine": lambda version, program, _: f"{program} {version}",
        "check_program": lambda program: f"{program} is on PATH",
        "check_port": lambda port, what, _: f"port {port} for {what} is free",
        "check_ports": lambda first, last, what, _: f"ports {first} to {last} for {what} are free",
        "check_variable": lambda _value, name, _hint: f"{name} is ...",
        "check_interface": lambda value, _site: f"network interface {value or '...'}",
        "check_path": lambda path: f"checkpoint {path}",
        "check_disk": lambda _folder, needed, _cache: (
            f"room for the checkpoint: ... GiB free and ... GiB there in ..., {needed} GiB needed"
        ),
    }
)
"""What each check of `preflight.sh` prints behind `ok`; `...` stands for what only the host knows."""


def _expected(host: HostChecks) -> Iterator[str]:
    for name, *arguments in host.calls:
        check = _EXPECTED.get(_known(name))
        if check is not None:
            yield f"ok    {check(*(_known(each) for each in arguments))}"
        else:
            yield f"skip  number of GPUs: no check for this kind, {_known(arguments[0])} needed"


def _known(value: Value) -> str:
    """Give the text of a value, nothing where a part of it is the site's to give."""
    return "" if any(isinstance(part, Site) for part in value) else bare_text(value)
