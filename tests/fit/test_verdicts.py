"""What the search says of layouts is what the rules say of their recipes."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from launchplan.engines.sglang.settings import Resolution
from launchplan.engines.sglang.view import SglangView
from launchplan.engines.view import EngineView
from launchplan.engines.vllm.view import VllmView
from launchplan.finding import Severity
from launchplan.fit import follows
from launchplan.fit.candidate import Candidate, Question, recipe_data, recipe_of
from launchplan.fit.facts import FACTS, names_of, values_of
from launchplan.fit.follows import attributes_of, computed_of, flags_of
from launchplan.fit.space import drafts_of
from launchplan.fit.verdicts import Verdicts
from launchplan.pipeline import make_plan, stages_of
from launchplan.recipe import load_recipe
from tests.fit.spaces import GPUS, MODELS, entry, layouts, question, questions

NVFP4 = next(
    index for index, each in enumerate(entry("Qwen/Qwen3.8-2.4T-A95B").checkpoints) if each.format == "nvfp4"
)
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


def errors_of(asked: Question, layout: Candidate) -> set[str]:
    plan = make_plan(recipe_data(asked, layout))
    return {each.code for each in plan.findings if each.severity is Severity.ERROR}


@settings(max_examples=25, deadline=None, suppress_health_check=SLOW)
@given(st.data())
def test_a_refusal_is_the_checks_and_so_is_none(data: st.DataObject) -> None:
    """One search asks for many layouts, so that what was kept of one answers for others."""
    asked = data.draw(questions())
    verdicts = Verdicts(asked)
    for layout in data.draw(st.lists(layouts(asked), min_size=8, max_size=14)):
        rule, errors = verdicts.refusal(layout), errors_of(asked, layout)
        if rule is not None:
            assert rule.code in errors, (layout, rule.code, errors)
        else:
            assert errors <= {each.code for each in verdicts.deferred}, (layout, errors)


@settings(max_examples=25, deadline=None, suppress_health_check=SLOW)
@given(st.data())
def test_what_is_refused_whatever_the_gpu_is_refused_on_another(data: st.DataObject) -> None:
    """The first layouts matter most: what a rule reads is not known before it was run."""
    asked = data.draw(questions())
    verdicts, other = Verdicts(asked), data.draw(st.sampled_from(GPUS))
    for layout in data.draw(st.lists(layouts(asked), min_size=1, max_size=4)):
        rule = verdicts.of_shape(layout, values_of(layout))
        if rule is not None:
            assert rule.code in errors_of(asked, replace(layout, gpu=other)), (layout, other.id, rule.code)


def test_the_first_layout_is_not_refused_for_its_gpu() -> None:
    """It stands for those on every GPU, and no rule about GPUs is known to be one before it has run."""
    asked = question("Qwen/Qwen3.8-2.4T-A95B", "sglang", checkpoint=NVFP4)
    gpu = next(gpu for gpu in GPUS if gpu.id == "mi355x")
    verdicts, layout = Verdicts(asked), Candidate(gpu, 1, 8, 8)
    assert verdicts.of_shape(layout, values_of(layout)) is None
    refusing = verdicts.on_gpu(gpu, layout, values_of(layout))
    assert refusing is not None
    assert refusing.code == "QNT109"


@settings(max_examples=60, deadline=None, suppress_health_check=SLOW)
@given(st.data())
def test_a_recipe_that_is_made_like_another_is_what_loading_it_gives(data: st.DataObject) -> None:
    asked = data.draw(questions())
    for layout in data.draw(st.lists(layouts(asked), min_size=2, max_size=4)):
        made, loaded = recipe_of(asked, layout), load_recipe(recipe_data(asked, layout))
        assert (made.value, made.document) == (loaded.value, loaded.document)
        assert repr(made) == repr(loaded)  # a list where a tuple stands, is unequal; so is what was not given
        for one, other in ((made.value, loaded.value), (made.value.parallel, loaded.value.parallel)):
            assert one.model_fields_set == other.model_fields_set
        assert made.value.hardware.model_fields_set == loaded.value.hardware.model_fields_set


def attributes(kind: type, value: object, prefix: str) -> dict[str, tuple[int, object]]:
    """Every attribute of a value with the facts that it is said to follow from."""
    table = attributes_of(kind)
    return {f"{prefix}.{name}": (mask, getattr(value, name)) for name, mask in table.items()}


def leaves(asked: Question, layout: Candidate) -> dict[str, tuple[int, object]]:
    stages = stages_of(load_recipe(recipe_data(asked, layout)), heads_only=True)
    pool, view = stages.resolved.pools[0], stages.views[0]
    found = {
        name: each
        for name, each in attributes(type(pool), pool, "pool").items()
        if name not in {"pool.gpu", "pool.parallel", "pool.serve", "pool.deployment"}
    }
    for stage in (pool, pool.deployment):
        computed = computed_of(type(stage)).items()
        found |= {f"{type(stage).__name__}.{name}": (mask, getattr(stage, name)) for name, mask in computed}
    for part in (pool.gpu, pool.parallel, pool.serve):
        found |= attributes(type(part), part, type(part).__name__)
    flags = flags_of(asked.engine)
    found |= {f"flag.{name}": (flags.get(name, 0), each) for name, each in view.arguments.values.items()}
    found |= {
        f"given.{name}": (flags.get(name, 0), name in view.arguments.given) for name in view.arguments.values
    }
    found |= settings_of(view)
    return found


def settings_of(view: EngineView) -> dict[str, tuple[int, object]]:
    if isinstance(view, VllmView):
        held = attributes(type(view.settings), view.settings, "settings")
        del held["settings.parallel"]
        return held | attributes(type(view.settings.parallel), view.settings.parallel, "parallel")
    assert isinstance(view, SglangView)
    found: dict[str, tuple[int, object]] = {}
    for step, now in (*view.resolution.after.items(), ("", view.resolution.settings)):
        found |= attributes(type(now), now, f"settings after {step}")
    given = view.resolution.given
    found["given"] = (attributes_of(Resolution)["given"], given is not None)
    if given is not None:
        found |= {
            name: each
            for name, each in attributes(type(given), given, "given").items()
            if name not in {"given.arguments", "given.env"}
        }
    return found


@settings(max_examples=60, deadline=None, suppress_health_check=SLOW)
@given(st.data())
def test_an_attribute_changes_only_with_its_facts(data: st.DataObject) -> None:
    asked = data.draw(questions())
    one, other = data.draw(layouts(asked)), data.draw(layouts(asked))
    # The other layout takes over all facts but one or two, so that each fact is seen to change alone.
    names = [each.name for each in fields(Candidate)]
    changed = data.draw(st.sets(st.sampled_from(names), min_size=1, max_size=2))
    mixed = Candidate(**{name: getattr(other if name in changed else one, name) for name in names})
    assert not wrong(asked, one, mixed)


def test_how_a_draft_attends_follows_from_dcp_too() -> None:
    asked = question("moonshotai/Kimi-K3", "sglang")
    gpu = next(gpu for gpu in GPUS if gpu.id == "a10")
    draft = drafts_of(asked.entry)[1]
    one, other = (Candidate(gpu, 1, 1, 1, dcp=dcp, speculative=draft) for dcp in (1, 2))
    assert not wrong(asked, one, other)


def test_how_decode_ranks_exchange_follows_from_the_machine_too() -> None:
    asked = question("zai-org/GLM-5", "sglang")
    one, other = (
        Candidate(next(gpu for gpu in GPUS if gpu.id == name), 4, 4, 16, dcp=16) for name in ("b200", "gb200")
    )
    assert leaves(asked, one)["settings after .dcp_comm_backend"][1] == "a2a"
    assert leaves(asked, other)["settings after .dcp_comm_backend"][1] == "fi_a2a"
    assert not wrong(asked, one, other)


def wrong(asked: Question, one: Candidate, other: Candidate) -> list[tuple[str, tuple[str, ...], Any, Any]]:
    differing = 0
    for index, (a, b) in enumerate(zip(values_of(one), values_of(other), strict=True)):
        differing |= (a != b) << index
    before, after = leaves(asked, one), leaves(asked, other)
    return [
        (name, names_of(mask), before[name][1], after[name][1])
        for name, (mask, _) in before.items()
        if name in after and not mask & differing and before[name][1] != after[name][1]
    ]


def test_a_rule_that_reads_one_size_is_run_once_for_each_of_its_values() -> None:
    asked = question("moonshotai/Kimi-K3", "vllm")
    verdicts = Verdicts(asked)
    gpu = next(gpu for gpu in GPUS if gpu.id == "gb300")
    layouts_of_tp = [Candidate(gpu, 2, 4, 8, dcp=dcp, kv=kv) for dcp in (1, 8) for kv in (None, "fp8")]
    for layout in layouts_of_tp * 2:  # what a later run reads first is not known in the first pass
        verdicts.refusal(layout)
    runs = verdicts.runs
    for layout in layouts_of_tp:
        verdicts.refusal(layout)
    assert verdicts.runs == runs


def test_every_table_speaks_of_attributes_that_exist() -> None:
    for kind, names in follows._CHANGED.items():
        assert set(names) <= set(attributes_of(kind)), kind
    for kind, same in follows._SAME.items():
        assert same <= set(attributes_of(kind)), kind
    assert len(FACTS) == len(set(FACTS))
    assert len(MODELS) == len(set(MODELS))
