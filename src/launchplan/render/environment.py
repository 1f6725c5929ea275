"""Jinja, strict: unknown names fail, and every value passes a filter of ours."""

from __future__ import annotations

import traceback
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from launchplan import resources
from launchplan.errors import TemplateError
from launchplan.render.filters import FILTERS, Printed


class Printer:
    """Prints templates, a user's own before the shipped ones."""

    def __init__(self, own: str | None = None) -> None:
        """Take the folder of a user's templates; raise `TemplateError` when there is none."""
        folders = [resources.templates_dir()]
        if own is not None:
            if not Path(own).is_dir():
                raise TemplateError(f"no folder of templates: {own}")
            folders.insert(0, Path(own))
        self._folders = tuple(folders)
        self._jinja = jinja2.Environment(
            loader=jinja2.ChoiceLoader([jinja2.FileSystemLoader(folder) for folder in folders]),
            comment_start_string="{%#",  # Jinja's own is what bash writes for a length: ${#name}
            comment_end_string="#%}",
            undefined=jinja2.StrictUndefined,
            autoescape=False,  # noqa: S701 # no HTML; each value passes the filter of its place
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            finalize=_only_printed,
        )
        self._jinja.filters = dict(FILTERS)
        self._jinja.globals = {}
        self._jinja.tests = {}

    def text(self, template: str, /, **context: object) -> str:
        """Print a template; raise `TemplateError` when it cannot be, with its name and line where known."""
        try:
            return self._jinja.get_template(template).render(context)
        except jinja2.TemplateSyntaxError as error:
            raise TemplateError(
                f"template {error.filename or error.name}:{error.lineno}: {error.message}"
            ) from error
        except jinja2.TemplateNotFound as error:
            place = self._place(error)
            raise TemplateError(
                f"there is no template {error.name}" + (f"; {place} includes it" if place else "")
            ) from error
        except (jinja2.UndefinedError, TypeError, TemplateError) as error:
            # A name or a value that does not fit its place.
            place = self._place(error) or template
            raise TemplateError(f"template {place}: {error}") from error

    def _place(self, error: Exception) -> str | None:
        """Find file and line of the innermost template that an error passed, from its traceback."""
        passed = (
            f"{frame.f_code.co_filename}:{line}"
            for frame, line in traceback.walk_tb(error.__traceback__)
            if any(Path(frame.f_code.co_filename).is_relative_to(folder) for folder in self._folders)
        )
        return next(reversed([*passed]), None)

    def file(self, template: str, /, **context: object) -> bytes:
        """Print a template as a file's content."""
        return self.text(template, **context).encode()


@cache
def printer(own: str | None = None) -> Printer:
    """Make the printer of a folder of templates, once."""
    return Printer(own)


def _only_printed(value: Any) -> Any:
    if not isinstance(value, Printed):
        filters = ", ".join(FILTERS)
        raise TemplateError(f"a template prints {value!r} without one of the filters {filters}")
    return value
