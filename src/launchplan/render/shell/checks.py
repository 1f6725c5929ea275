"""What `preflight.sh` checks on each host: calls of its functions with the facts of that host."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from launchplan.engines import BY_NAME, Launch, Process, Site, Value, Variable
from launchplan.engines.container import toolkit_of
from launchplan.engines.launch import join, text
from launchplan.engines.ports import ports_of
from launchplan.render.shell.scripts import LOCAL_CACHE, sites_in
from launchplan.render.shell.shellcheck import literal_codes
from launchplan.resolve import Deployment
from launchplan.units import GIB

Call = tuple[Value, ...]
"""One line of the script: the name of a function and its arguments."""
_PATH_STARTS = ("/", "./", "../")


@dataclass(frozen=True, slots=True)
class HostChecks:
    """The checks of one process on the host that it starts on."""

    name: str
    """The process."""
    others: tuple[str, ...]
    """What may be written instead: the host's index and name."""
    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class Preflight:
    """The checks of all hosts."""

    names: str
    """The processes, one of which the script is given."""
    only: str
    """The process where there is but one; empty otherwise."""
    hosts: tuple[HostChecks, ...]
    codes: str
    """What ShellCheck would ask about the calls."""
    nvidia: bool
    """Some host has NVIDIA GPUs."""
    driver: bool
    """It is known which driver the engine of some host needs."""
    amd: bool
    """Some host has AMD GPUs."""
    other_gpus: bool
    """Some host has GPUs that there is no check for."""
    paths: bool
    """The model is a path."""
    disk: bool
    """The checkpoint's size is known and it comes from a hub."""
    interfaces: bool
    """Some process is bound to a network interface."""
    engine: bool
    """Some process is an engine of a known release."""
    programs: bool
    """Some program is looked for without regard to its release."""
    variables: bool
    """Some script demands variables of the site."""
    port_ranges: bool
    """Some process takes several ports in a row."""

    @property
    def has_only(self) -> bool:
        """Whether there is but one process, which needs no naming."""
        return bool(self.only)

    @property
    def has_several(self) -> bool:
        """Whether somebody has to say which process starts on the host."""
        return not self.only

    @property
    def has_codes(self) -> bool:
        """Whether the calls hold what ShellCheck asks about."""
        return bool(self.codes)


def preflight(launch: Launch) -> Preflight:
    """Choose the checks of a launch."""
    hosts = tuple(
        HostChecks(process.name, _other_names(process, launch), tuple(_calls(process, launch)))
        for process in launch.processes
    )
    used = {call[0] for host in hosts for call in host.calls}
    return Preflight(
        names=" ".join(host.name for host in hosts),
        only=hosts[0].name if len(hosts) == 1 else "",
        hosts=hosts,
        codes=literal_codes(word for host in hosts for call in host.calls for word in call),
        nvidia=text("check_nvidia_gpus") in used,
        driver=text("check_driver") in used,
        amd=text("check_amd_gpus") in used,
        other_gpus=text("check_other_gpus") in used,
        paths=text("check_path") in used,
        disk=text("check_disk") in used,
        interfaces=text("check_interface") in used,
        engine=text("check_engine") in used,
        programs=text("check_program") in used,
        variables=text("check_variable") in used,
        port_ranges=text("check_ports") in used,
    )


def _other_names(process: Process, launch: Launch) -> tuple[str, ...]:
    if process.role == "router":
        return ()  # its host is one of the others
    hosts = launch.layout.resolved.deployment.hosts
    known = hosts[process.host].name if process.host < len(hosts) else None
    taken = {each.name for each in launch.processes}
    return (str(process.host), *((known,) if known and known not in taken and not known.isdecimal() else ()))


def _calls(process: Process, launch: Launch) -> Iterator[Call]:
    deployment = launch.layout.resolved.deployment
    yield from _demands(process, launch)
    if process.role == "router":
        yield _call("check_program", _words(process.command)[0])
    else:
        yield _gpus(process, launch)
        yield from _driver(process, launch)
        yield _engine(process, deployment)
        if process.ray or process.is_worker:
            yield _call("check_program", "ray")
        yield from _interface(process)
        yield from _checkpoint(process, launch)
    for use in ports_of(process, launch):
        if len(use.ports) == 1:
            yield _call("check_port", str(use.ports[0]), use.what, use.cure)
        elif use.ports:
            yield _call("check_ports", str(use.ports[0]), str(use.ports[-1]), use.what, use.cure)


def _demands(process: Process, launch: Launch) -> Iterator[Call]:
    """Check what the process's script demands; an interface has a check of its own."""
    values = (*process.words, *(each.value for each in (*launch.env, *process.env)))
    checked = {part.variable for part in _interface_value(process) or () if isinstance(part, Site)}
    for site in sites_in(values):
        if site.variable not in {LOCAL_CACHE, *checked}:
            yield (text("check_variable"), (site,), text(site.variable), text(site.hint))


def _gpus(process: Process, launch: Launch) -> Call:
    role = process.role
    gpu = next(pool.gpu for pool in launch.layout.resolved.pools if pool.role == role)
    vendor = gpu.vendor if gpu else None
    if vendor in {"nvidia", "amd"}:
        return _call(f"check_{vendor}_gpus", str(process.gpus))
    return _call("check_other_gpus", str(process.gpus))


def _driver(process: Process, launch: Launch) -> Iterator[Call]:
    """Compare the driver with what the engine's release needs, where that is known."""
    resolved = launch.layout.resolved
    toolkit = toolkit_of(resolved, process.role)
    if toolkit is not None and toolkit.vendor == "nvidia":
        yield _call("check_driver", toolkit.driver, toolkit.toolkit, resolved.deployment.engine_label)


def _engine(process: Process, deployment: Deployment) -> Call:
    command = BY_NAME[deployment.engine].command(process.model)
    program = _words(command)[0]
    if not any(char.isdigit() for char in deployment.version):
        return _call("check_program", program)  # a nightly build has no number to compare
    asked = (program, "--version") if deployment.engine == "vllm" else (program, "version")
    return _call("check_engine", deployment.version.removeprefix("v"), *asked)


def _interface(process: Process) -> Iterator[Call]:
    """Check the interface that Gloo takes by its exact name; NCCL's variable may hold prefixes."""
    value = _interface_value(process)
    if value is not None:
        site = next((part.variable for part in value if isinstance(part, Site)), "")
        yield (text("check_interface"), value, text(site))


def _interface_value(process: Process) -> Value | None:
    return _variable(process.env, "GLOO_SOCKET_IFNAME")


def _checkpoint(process: Process, launch: Launch) -> Iterator[Call]:
    deployment = launch.layout.resolved.deployment
    (loaded,) = _words((process.model,))
    if loaded.startswith(_PATH_STARTS):
        yield _call("check_path", loaded)
        return
    facts = deployment.checkpoint_facts
    if facts is None or facts.bytes is None:
        return
    variables = (*launch.env, *process.env)
    home = _variable(variables, "HF_HOME")
    cache = _variable(variables, "HF_HUB_CACHE") or (join(home, "/hub") if home else text(""))
    needed_gib = -(-facts.bytes // GIB)
    yield (text("check_disk"), text("models--" + loaded.replace("/", "--")), text(str(needed_gib)), cache)


def _variable(variables: tuple[Variable, ...], name: str) -> Value | None:
    """Give the value that a variable has in the end: the last one."""
    return next((each.value for each in reversed(variables) if each.name == name), None)


def _words(command: tuple[Value, ...]) -> tuple[str, ...]:
    """Give the words of a command, none of which is the site's to give."""
    return tuple("".join(part for part in word if isinstance(part, str)) for word in command)


def _call(*words: str) -> Call:
    return tuple(text(word) for word in words)
