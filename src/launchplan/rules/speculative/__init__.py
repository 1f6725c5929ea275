"""Rules about speculative decoding."""

from __future__ import annotations

from launchplan.rules.speculative import mtp_has_layers, mtp_pays, tokens_given

RULES = (
    tokens_given.check,
    mtp_has_layers.check,
    mtp_pays.check,
)
