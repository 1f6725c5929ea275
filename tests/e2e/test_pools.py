"""Prefill and decode on two hosts behind the router: the KV cache really travels."""

from __future__ import annotations

from tests.e2e.kit import FOLLOWER, HEAD, Bundle, Site, deployed


def transferred_tokens(bundle: Bundle) -> float:
    """Ask the decode engine how many prompt tokens came from elsewhere."""
    tokens = bundle.metric(FOLLOWER, "vllm:prompt_tokens_by_source_total", "source")
    return tokens["external_kv_transfer"]


def test_a_request_to_the_router_is_prefilled_on_one_host_and_decoded_on_the_other(site: Site) -> None:
    processes = {"prefill-0": HEAD, "decode-0": FOLLOWER, "router": HEAD}
    with deployed(site, "pools", "vllm", processes) as bundle:
        before = transferred_tokens(bundle)
        bundle.tool("smoke")
        assert transferred_tokens(bundle) > before
        bundle.stop("router", "decode-0", "prefill-0")
