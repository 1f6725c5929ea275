"""`launchplan lint`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import click

from launchplan.cli.exits import CLEAN, ERRORS, UNREADABLE
from launchplan.cli.inputs import STDIN, read_stdin
from launchplan.cli.options import engine_facts_option
from launchplan.cli.output import emit, say, wants_color
from launchplan.cli.to_recipe import print_recipe, to_recipe_option
from launchplan.cli.write import replace_text
from launchplan.errors import InputError
from launchplan.finding import Finding, Location

if TYPE_CHECKING:
    from launchplan.lint import LintedFile, Site

Format = Literal["text", "json", "github", "sarif"]
Kind = Literal["shell", "markdown", "html", "dockerfile", "yaml", "systemd"]
_COMMAND = "<command>"
_SPLIT = "launchplan.lint.command"
_ASSUMED = " (the newest known; nothing says which)"


class _WithCommand(click.Command):
    """A command whose words behind `--` are somebody else's command line."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--" in args:
            place = args.index("--")
            ctx.meta[_SPLIT] = args[place + 1 :]
            args = args[:place]
        return super().parse_args(ctx, args)


@dataclass(frozen=True, slots=True)
class _Input:
    """A text to lint; `path` is None where there is no file to write."""

    name: str
    text: str
    path: Path | None = None
    kind: str | None = None


@click.command("lint", cls=_WithCommand)
@click.argument("files", nargs=-1, metavar="FILE...|-|-- CMD...")
@click.option("--gpu", metavar="ID", help="GPU of the nodes, where the file does not say it (`list gpus`).")
@click.option("--nodes", type=click.IntRange(min=1), metavar="N", help="Hosts that share one deployment.")
@click.option("--gpus-per-node", type=click.IntRange(min=1), metavar="N", help="GPUs of one host.")
@click.option(
    "--engine", type=click.Choice(["vllm", "sglang"]), help="What an image starts that is not known."
)
@click.option(
    "--engine-version", "version", metavar="VERSION", help="Instead of the version that image tag or pin say."
)
@click.option("--model-config", metavar="FILE", help="The model's config.json, for one outside the catalog.")
@click.option(
    "--kind", type=click.Choice(get_args(Kind)), help="Instead of the kind that name and content say."
)
@click.option(
    "--fix", is_flag=True, help="Rewrite renamed flags in the files, where that changes nothing else."
)
@click.option("--diff", is_flag=True, help="Show what --fix would write, and write nothing.")
@click.option(
    "--format",
    "form",
    type=click.Choice(get_args(Format)),
    default="text",
    show_default=True,
    help="Of the report.",
)
@click.option("--strict", is_flag=True, help="Exit with 1 for warnings, too.")
@to_recipe_option
@engine_facts_option
def lint(  # click hands over each option
    files: tuple[str, ...],
    engine: str | None,
    kind: str | None,
    form: Format,
    *,
    fix: bool,
    diff: bool,
    strict: bool,
    to_recipe: bool,
    **unsaid: Any,
) -> int:
    """Check commands that start vLLM or SGLang, in the files that hold them.

    Scripts and Slurm jobs, Markdown, HTML, Dockerfiles, compose files, Kubernetes manifests, systemd units,
    `-` for standard input, or one command behind `--`. Each finding stands at the word that it is about. The
    engine's version is that of the image tag or pin, else the newest known; what the text does not say is not
    judged. Files of one folder that are the nodes of a deployment, or its prefill and decode, are compared.
    """
    from launchplan.lint import Site, edits_of, together

    command: list[str] | None = click.get_current_context().meta.get(_SPLIT)
    _check_usage(files, command, fix=fix, diff=diff)
    site = Site(**unsaid)
    _check_gpu(site.gpu)
    if to_recipe:
        return _as_recipe(files, command, site, engine)
    names = files if command is None else (STDIN,)
    results = [_linted(_read(name, command), site, kind, engine) for name in names]
    if diff:
        return _show_diffs(results)
    rewritten: dict[str, int] = {}
    if fix:
        rewritten = {source.name: len(edits_of(result)) for source, result in results if result.readable}
        results = [_fixed(source, result, site, engine) for source, result in results]
    compared = together([result for _, result in results])
    results = [(source, result) for (source, _), result in zip(results, compared, strict=True)]
    emit(_report(results, form))
    if form == "text":
        for source, result in results:
            say(_talk(source, result, site, rewritten.get(source.name)))
    return max(_code(source, result, strict=strict) for source, result in results)


def _check_usage(files: Sequence[str], command: list[str] | None, *, fix: bool, diff: bool) -> None:
    if bool(files) == bool(command):
        raise click.UsageError("give files, '-' for standard input, or a command behind '--'")
    if list(files).count(STDIN) > 1:
        raise click.UsageError("standard input can be read once only: name '-' once")
    if fix and diff:
        raise click.UsageError("give either --fix or --diff")
    if fix and (command or STDIN in files):
        raise click.UsageError("--fix rewrites files; --diff shows it for other input")


def _as_recipe(files: Sequence[str], command: list[str] | None, site: Site, engine: str | None) -> int:
    from launchplan.lint import recipe_of_command

    if len(files) > 1:
        raise click.UsageError("--to-recipe takes one command: one file, '-', or words behind '--'")
    source = _read(files[0] if files else _COMMAND, command)
    if isinstance(source, InputError):
        raise source
    return print_recipe(recipe_of_command(source.text, engine, site))


def _check_gpu(gpu: str | None) -> None:
    from launchplan import catalog

    if gpu is not None and catalog.gpu(gpu) is None:
        near = catalog.nearest_gpu(gpu)
        cure = f"did you mean {near}?" if near else "`launchplan list gpus` names them"
        raise click.UsageError(f"no GPU is called {gpu}; {cure}")


def _read(name: str, command: list[str] | None) -> _Input | InputError:
    from launchplan.source import read_text

    try:
        if command is not None:
            return _Input(_COMMAND, shlex.join(command), kind="shell")
        if name == STDIN:
            return _Input("<stdin>", read_stdin())
        return _Input(name, read_text(Path(name)), Path(name))
    except InputError as error:
        return error


def _linted(
    source: _Input | InputError, site: Site, kind: str | None, engine: str | None
) -> tuple[_Input, LintedFile]:
    from launchplan.lint import NO_COMMAND, LintedFile, lint_text
    from launchplan.lint.text import SourceFile
    from launchplan.source import problem

    if isinstance(source, InputError):
        place = source.findings[0].location
        name = place.file if place else ""
        return _Input(name, ""), LintedFile(SourceFile(name, ""), "", (), source.findings, readable=False)
    result = lint_text(source.text, source.name, site, kind=source.kind or kind, engine=engine)
    if source.path is None and not result.judged and not result.findings:
        findings = (problem("REC001", NO_COMMAND, Location(source.name)),)
        result = replace(result, findings=findings, readable=False)
    return source, result


def _fixed(source: _Input, result: LintedFile, site: Site, engine: str | None) -> tuple[_Input, LintedFile]:
    """Write a file's renames and lint what is there then."""
    from launchplan.lint import applied, edits_of

    edits = edits_of(result) if result.readable else ()
    if not edits or source.path is None:
        return source, result
    text = applied(source.text, edits)
    replace_text(source.path, text)
    return _linted(replace(source, text=text), site, result.kind, engine)


def _show_diffs(results: Sequence[tuple[_Input, LintedFile]]) -> int:
    from difflib import unified_diff

    from launchplan.lint import applied, edits_of
    from launchplan.report.escape import printable

    code = CLEAN
    for source, result in results:
        if not result.readable:
            _say_unreadable(result.findings)
            code = UNREADABLE
            continue
        new = applied(source.text, edits_of(result))
        lines = unified_diff(
            source.text.splitlines(keepends=True), new.splitlines(keepends=True), source.name, source.name
        )
        shown = [line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines]
        if shown:
            emit(
                "".join(
                    printable(line.rstrip("\r\n")) + "\n" if line[0] in "+-@ " else line for line in shown
                )
            )
            code = max(code, ERRORS)
    return code


def _say_unreadable(findings: Sequence[Finding]) -> None:
    from launchplan.cli.inputs import say_findings

    say_findings(findings)


def _checked(source: _Input, result: LintedFile) -> Any:
    from launchplan.report import Checked

    return Checked(source.name, result.findings, (), {source.name: source.text})


def _report(results: Sequence[tuple[_Input, LintedFile]], form: Format) -> str:
    from launchplan import report
    from launchplan.lint import PROBLEMS
    from launchplan.rules import RULES

    checks = [_checked(source, result) for source, result in results]
    match form:
        case "text":
            return report.text_report(checks, color=wants_color(sys.stdout), noun="file")
        case "json":
            return report.json_report(checks, noun="files")
        case "github":
            return report.github_report(checks)
        case "sarif":
            titles = report.titles(RULES) | {code: kind.meaning for code, kind in PROBLEMS.items()}
            return report.sarif_report(checks, titles)


def _talk(source: _Input, result: LintedFile, site: Site, rewritten: int | None) -> str:
    """Say what was judged, and by which version: a report without findings is not trusted otherwise."""
    from launchplan.lint import edits_of
    from launchplan.report.escape import printable
    from launchplan.units import plural

    name = printable(source.name)
    if not result.judged:
        return f"{name}: no server is started here\n" if result.readable else ""
    releases = dict.fromkeys(
        f"{each.launch.engine} {each.version}{_ASSUMED if each.assumed else ''}" for each in result.judged
    )
    text = f"{name}: {plural(len(result.judged), 'command')}, {', '.join(releases)}"
    if site.gpu is None and any(each.launch.around.gpu is None for each in result.judged):
        text += "; no GPU is known: --gpu adds what depends on it"
    if result.unknown_models:
        names = printable(", ".join(result.unknown_models))
        text += f"; not in the catalog: {names}: --model-config adds what depends on the model"
    if rewritten is not None:
        return f"{text}; {plural(rewritten, 'flag')} rewritten\n"
    count = len(edits_of(result)) if result.readable else 0
    if count and source.path is not None:
        text += f"; --fix rewrites {plural(count, 'flag')}"
    return text + "\n"


def _code(source: _Input, result: LintedFile, *, strict: bool) -> int:
    from launchplan.report import totals

    if not result.readable:
        return UNREADABLE
    counts = totals([_checked(source, result)])
    return ERRORS if counts.errors or (strict and counts.warnings) else CLEAN
