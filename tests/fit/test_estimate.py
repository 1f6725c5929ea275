"""What a search leaves out before it asks any rule is what the check refuses."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from launchplan import api
from launchplan.finding import Severity
from launchplan.fit.candidate import Candidate, Question, recipe_data
from launchplan.fit.estimate import Estimate
from launchplan.fit.facts import values_of
from launchplan.fit.follows import pool_of
from launchplan.fit.judge import EARLY_WARNINGS, is_warned, judge, memory_of_layout
from launchplan.fit.readings import key_of
from launchplan.fit.space import Limits, candidates, drafts_of, per_node
from launchplan.fit.verdicts import Verdicts
from launchplan.pipeline import make_plan
from launchplan.rules import RULES
from tests.fit.spaces import GPUS, MODELS, layouts, question, questions

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


@st.composite
def left_out(draw: st.DrawFn, asked: Question) -> Candidate:
    """Draw a layout whose weights are estimated too large, the more often the nearer it is to the limit."""
    gpu, limits = draw(st.sampled_from(GPUS)), Limits(32)
    assert asked.entry is not None
    model = asked.entry.architecture(asked.checkpoint)
    estimate = Estimate(asked, model, [gpu])
    assume(not estimate.unknown)
    here = estimate.on(gpu)
    every = candidates(gpu, per_node(gpu, limits), model, drafts_of(asked.entry), limits)
    refused = sorted((each for each in every if not here.fits(each)), key=here.weights)
    assume(refused)
    return draw(st.sampled_from((*refused[:24], draw(st.sampled_from(refused)))))


@settings(max_examples=60, deadline=None, suppress_health_check=SLOW)
@given(st.data())
def test_what_is_left_out_is_refused_by_the_check(data: st.DataObject) -> None:
    asked = data.draw(questions())
    layout = data.draw(left_out(asked))
    held = memory_of_layout(asked, layout)
    assert held is None or held.memory.budget.pool.bytes.value <= 0, layout
    findings = make_plan(recipe_data(asked, layout)).findings
    errors = [each for each in findings if each.severity is Severity.ERROR]
    if errors:  # by an engine before memory matters, or for want of memory
        assert all(each.at != "memory" or each.code in {"MEM101", "MEM201", "MEM206"} for each in errors)
    else:  # the bytes of this checkpoint are not known well enough for an error: it may not hold
        assert "MEM202" in {each.code for each in findings}, (layout, findings)


@settings(max_examples=30, deadline=None, suppress_health_check=SLOW)
@given(st.data())
def test_a_layout_is_called_warned_only_where_the_check_warns(data: st.DataObject) -> None:
    asked = data.draw(questions())
    layout = data.draw(layouts(asked))
    open_rules, verdicts = Verdicts(asked).open_rules, Verdicts(asked, EARLY_WARNINGS)
    warned = is_warned(asked, layout)
    assert warned == (verdicts.refusal(layout) is not None or is_warned(asked, layout, verdicts.deferred))
    if warned:
        assert judge(asked, layout, open_rules).warnings
        assert judge(asked, layout, RULES).warnings


@settings(max_examples=60, deadline=None, suppress_health_check=[*SLOW, HealthCheck.filter_too_much])
@given(st.data())
def test_the_bytes_of_a_pool_follow_from_what_they_are_said_to(data: st.DataObject) -> None:
    asked = question(data.draw(st.sampled_from(MODELS)), "vllm", data.draw(st.integers(0, 3)))
    one, drawn = data.draw(layouts(asked)), data.draw(layouts(asked))
    changed = data.draw(st.sampled_from(("tp", "pp", "dp", "ep", "dcp", "kv", "speculative")))
    other = replace(one, **{changed: getattr(drawn, changed)})
    key = key_of(pool_of("vllm"))
    assert changed not in {"dcp", "kv"} or key(values_of(one)) == key(values_of(other))
    assume(key(values_of(one)) == key(values_of(other)))
    before, after = memory_of_layout(asked, one), memory_of_layout(asked, other)
    assume(before is not None and after is not None)
    assert before is not None
    assert after is not None
    assert before.memory.budget.pool == after.memory.budget.pool


def test_a_gpu_whose_memory_is_not_known_hides_no_other() -> None:
    """SGLang's own memory is computed on NVIDIA's GPUs only."""
    fits = api.fit("openai/gpt-oss-120b", gpu=["h200", "mi355x"], engine="sglang", max_gpus=2, derived=True)
    assert {each.candidate.gpu.id for each in fits.offers} == {"h200"}
    assert "mi355x" in {each.gpu for each in fits.misses}
