"""Rules about the engine's flags, parsers and environment."""

from __future__ import annotations

from launchplan.rules.engine import (
    feature_has_parser,
    flag_known,
    flag_known_nearby,
    flag_once,
    flag_value,
    key_has_flag,
    length_fits_window,
    parser_known,
    router_flag_known,
    serve_key_applies,
    variable_known,
)

RULES = (
    flag_known.check,
    flag_once.check,
    flag_value.check,
    serve_key_applies.check,
    feature_has_parser.check,
    parser_known.check,
    variable_known.check,
    length_fits_window.check,
    router_flag_known.check,
    key_has_flag.check,
    flag_known_nearby.check,
)
