"""What can be wrong with the way a file writes a command, beside what the command says."""

from __future__ import annotations

from dataclasses import dataclass

from launchplan.finding import Finding, Location, Severity

ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO


@dataclass(frozen=True, slots=True)
class Problem:
    """One kind of finding about how commands are written."""

    name: str
    severity: Severity
    meaning: str
    why: str


PROBLEMS = {
    "CMD101": Problem(
        "command-in-one-word",
        ERROR,
        "a whole command line is one item of a list that no shell splits",
        "A list of words is handed to the kernel as it is. A program whose name is the whole line does not "
        "exist.",
    ),
    "CMD102": Problem(
        "flag-with-value-in-one-word",
        ERROR,
        "a flag and its value are one word, which no shell splits",
        "argparse takes `--host 0.0.0.0` in one word for a positional argument. `--host=0.0.0.0` is one "
        "word, too.",
    ),
    "CMD103": Problem(
        "shell-takes-one-script",
        ERROR,
        "words behind the script of `sh -c` are not part of it",
        "A shell runs the one word behind -c. What follows becomes $0, $1 and so on, which the script "
        "ignores.",
    ),
    "CMD104": Problem(
        "command-cut-short",
        ERROR,
        "a line begins with a flag: the command above it has ended already",
        "A blank behind a backslash, a missing backslash or a comment between the lines ends a command. "
        "The server starts without the flags that follow.",
    ),
    "CMD105": Problem(
        "open-quote",
        ERROR,
        "a quote opens and nothing closes it; exit code 2",
        "A shell reads on to the end of the file and refuses it.",
    ),
    "CMD106": Problem(
        "not-known-statically",
        INFO,
        "a value that the file does not say is not judged",
        "A variable that nothing in the file sets, a command substitution, an expression of a template: "
        "what depends on it is left open.",
    ),
    "CMD107": Problem(
        "image-starts-server",
        ERROR,
        "the image starts the server itself; its arguments repeat the program",
        "The entry point of vllm/vllm-openai is `vllm serve`. Its first argument would be the model `vllm`.",
    ),
    "CMD108": Problem(
        "flag-given-twice",
        WARNING,
        "a flag is given twice with different values; the last one counts",
        "argparse keeps the last value without a word.",
    ),
    "CMD109": Problem(
        "shared-memory",
        ERROR,
        "ranks of one node share memory, and their container has 64 MiB of it",
        "Docker and Kubernetes give a container 64 MiB of /dev/shm. Ranks exchange data through it; NCCL "
        "fails in ncclShmOpen.",
    ),
    "CMD110": Problem(
        "service-link-port",
        ERROR,
        "a Service makes Kubernetes set a variable that the engine reads as its own",
        "A Service named `vllm` puts VLLM_PORT=tcp://... into every pod of its namespace. vLLM reads "
        "VLLM_PORT as a number.",
    ),
    "CMD111": Problem(
        "interface-named",
        WARNING,
        "pods on the hosts' network name no interface for the rendezvous",
        "gloo listens on the address that the host's own name resolves to, which may be 127.0.0.1 or a "
        "network that the other nodes do not reach.",
    ),
    "CMD112": Problem(
        "nodes-agree",
        ERROR,
        "commands of one deployment disagree in what they must have in common",
        "Every node builds the same groups of ranks and the same caches from its own command line. They "
        "wait for each other for ever, or refuse each other, when the sizes differ.",
    ),
    "CMD113": Problem(
        "interface-of-many",
        ERROR,
        "pods of whole hosts on the hosts' network name no interface for the rendezvous",
        "A host of 8 GPUs has a network for its GPUs and others beside it. gloo takes the address that the "
        "host's own name resolves to, which was 127.0.0.1 where this was reported, and the other nodes "
        "wait for ever.",
    ),
}
"""Findings about how commands are written, by code. Codes are never reused."""


@dataclass(frozen=True, slots=True)
class Note:
    """One finding before its place is known: an offset in the file."""

    code: str
    message: str
    start: int
    fix: str | None = None
    source: str | None = None

    def finding(self, location: Location, engine: str | None = None) -> Finding:
        """Make the finding."""
        kind = PROBLEMS[self.code]
        at = "parse" if kind.severity is ERROR else None
        return Finding(
            self.code, kind.name, kind.severity, self.message, (), location, self.fix, engine, self.source, at
        )
