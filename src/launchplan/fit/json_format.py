"""The answer to `fit` as one JSON object, for programs; bytes, tokens and GPUs are plain numbers."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from launchplan import __version__
from launchplan.fit.sizing import size
from launchplan.fit.workload import workload_data

if TYPE_CHECKING:
    from launchplan.fit.answer import Fits, Miss, Offer

FORMAT_VERSION = 1


def fits_json(fits: Fits) -> str:
    """Print every offer, best first; keys stay, new ones may come."""
    front, sizing, least = set(map(id, fits.front)), size(fits), fits.minimum
    report = {
        "format": FORMAT_VERSION,
        "launchplan": __version__,
        "model": fits.question.model,
        "engine": {"name": fits.wish.engine, "version": fits.wish.version},
        "workload": workload_data(fits.question.workload),
        "layouts": fits.layouts,
        "minimum_gpus": least.candidate.gpus if least else None,
        "offers": [_offer(each, front=id(each) in front) for each in fits.offers],
        "misses": [_miss(each) for each in fits.misses],
        "not_searched": list(fits.unevidenced),
        "sizing": sizing and {
            "resident_tokens": sizing.resident_tokens,
            "steps": [{"title": step.title, "lines": list(step.lines)} for step in sizing.steps],
        },
    }  # fmt: skip
    return json.dumps(report, indent=2) + "\n"


def _offer(offer: Offer, *, front: bool) -> dict[str, Any]:
    at, judged = offer.candidate, offer.judged
    pool = judged.known.pool
    draft = at.speculative
    return {
        "evidence": offer.evidence,
        "recipe": offer.recipe,
        "source": offer.source,
        "gpu": at.gpu.id,
        "gpus": at.gpus,
        "nodes": at.nodes,
        "gpus_per_node": at.gpus_per_node,
        "checkpoint": judged.question.checkpoint,
        "parallel": at.sizes,
        "kv_cache_dtype": at.kv,
        "speculative": draft and {
            "method": draft.method, "tokens": draft.tokens, "model": draft.model,
            "memory_counted": judged.draft_counted,
        },
        "max_model_len": judged.question.window,
        "max_num_seqs": judged.question.max_num_seqs,
        "pool_bytes_per_gpu": {"value": pool.value, "low": pool.low, "high": pool.high},
        "pool_tokens": asdict(judged.pool_tokens),
        "request_tokens": judged.request_tokens,
        "requests": asdict(judged.requests),
        "tokens_per_s_per_user_bound": judged.tokens_per_s_per_user,
        "tokens_per_s_bound": judged.tokens_per_s,
        "price_per_hour": offer.price_per_hour,
        "sure": judged.sure,
        "pareto": front,
        "warnings": [{"code": each.code, "message": each.message} for each in judged.warnings],
    }  # fmt: skip


def _miss(miss: Miss) -> dict[str, Any]:
    at, found = miss.candidate, miss.finding
    return {
        "gpu": miss.gpu,
        "checkpoint": miss.checkpoint,
        "machines": at.machines if at else None,
        "parallel": at.sizes if at else None,
        "rule": found.code if found else None,
        "reason": miss.reason,
        "fix": found.fix if found else None,
    }
