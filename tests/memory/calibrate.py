"""Fit the calibrated figures to the logs of memory_truth.yaml, and try them on logs that they have not seen.

    python -m tests.memory.calibrate            print the figures that the logs give
    python -m tests.memory.calibrate --write    put them into the catalog

Terms that a log prints are read from it; the others are what is left of its budget, in a fixed order, so that each
figure is the middle of few observations and no log is fitted twice. Held out, a log is predicted by figures in which
neither it nor any log of the same report or of a model of the same sizes has a part.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from launchplan import catalog
from launchplan.catalog.calibration import Calibration, EngineCalibration, Spread
from launchplan.catalog.load import DATA
from launchplan.memory.activations import activation_bytes
from launchplan.memory.kv.vllm import plan_cache
from launchplan.memory.vllm.budget import batch_of
from launchplan.units import GIB, MIB
from tests.memory import graphs
from tests.memory.kit import Row, spread
from tests.memory.truth import ROWS, Outcome, model_of, outcome, predicted, vllm_inputs

FILE = Path(DATA) / "calibration.yaml"
FITTED = (
    "unified_share",
    "activation_factor",
    "workspace_gib",
    "encoder_gib",
    "graph_gib",
    "graph_mib_per_layer",
    "dense_graph_mib_per_layer",
    "early_graph_mib_per_layer",
    "vllm.loading_share",
    "vllm.non_torch_gib",
    "vllm.non_torch_gib_of_group",
    "vllm.latent_workspace_gib",
    "vllm.sparse_workspace_gib",
    "sglang.loading_gib",
    "sglang.loading_share",
    "sglang.non_torch_gib",
    "sglang.non_torch_gib_of_group",
)
# Below this much computed work (GiB) a peak tells of what libraries take once, above it of the work's factor.
_MUCH_WORK = 0.8


@dataclass(frozen=True)
class Seen:
    """One log's figures in GiB, as far as it prints them."""

    row: Row
    parameters: float
    experts: float
    work: float
    layers_and_graphs: int
    left: float | None
    """What the share of the GPU holds besides weights and pool."""

    @property
    def id(self) -> str:
        return str(self.row["id"])

    @property
    def weights(self) -> float:
        return float(self.row.get("weights", self.row["log"].get("weights", self.parameters)))

    @property
    def ranks(self) -> int:
        return int(self.row.get("tp", 1))

    @property
    def non_torch(self) -> float | None:
        """What the engine took beside its allocator's weights, where the log says it."""
        log = self.row["log"]
        if "non_torch" in log:
            return float(log["non_torch"])
        return float(log["consumed"] - self.weights) if "consumed" in log else None

    @property
    def peak(self) -> float | None:
        """The peak of activations alone; newer engines print it with the estimate of the graphs."""
        log = self.row["log"]
        return float(log["peak"] - log["estimate"]) if "peak" in log and "estimate" in log else None

    @property
    def sparse(self) -> bool:
        model = model_of(self.row)
        return model.is_mla or self.indexed

    @property
    def indexed(self) -> bool:
        model = model_of(self.row)
        return model.sparse_indexer or model.family == "deepseek_v4"


def seen(row: Row) -> Seen:
    budget = predicted(row).budget
    experts = budget.by_class.get("experts", 0) / GIB
    parameters = budget.parameter_bytes / GIB
    if row["engine"] != "vllm":
        return Seen(row, parameters, experts, 0, 0, None)
    inputs = vllm_inputs(row)
    work = activation_bytes(inputs.model, batch_of(inputs))
    assert work is not None
    found = Seen(row, parameters, experts, work.value / GIB, len(inputs.model.layers) * inputs.graphs, None)
    pool = _pool_gib(row)
    if "total" not in row or pool is None:
        return found
    left = inputs.utilization * _seen_total(row, catalog.calibration()) - pool - found.weights
    return Seen(row, parameters, experts, found.work, found.layers_and_graphs, left)


def _pool_gib(row: Row) -> float | None:
    """Give the pool, counted back from its tokens where the log has no GiB."""
    if "pool" in row["log"]:
        return float(row["log"]["pool"])
    if "tokens" not in row["log"] or row.get("counted"):
        return None
    inputs = vllm_inputs(row)
    plan = plan_cache(inputs.model, inputs.cache)
    assert plan is not None
    requests = float(row["log"]["tokens"]) / inputs.cache.max_model_len
    return requests * plan.blocks_per_request() * plan.block_bytes / GIB


class Fit:
    """The figures that some logs give, each as soon as those before it are known."""

    def __init__(self, rows: list[Row], base: Calibration, drawn: list[Row] | None = None) -> None:
        self._base = base
        self._drawn = graphs.GRAPHS if drawn is None else drawn
        every = [seen(row) for row in rows if row.get("sure", True) or "total" in row]
        self._vllm = [each for each in every if each.row["engine"] == "vllm"]
        self._sglang = [each for each in every if each.row["engine"] == "sglang"]

    def calibration(self) -> Calibration:
        base, found = self._base, self._common()
        vllm = base.vllm.model_copy(update=self._of_vllm(found))
        sglang = base.sglang.model_copy(update=self._of_sglang(vllm))
        return base.model_copy(update={**found, "vllm": vllm, "sglang": sglang})

    def _common(self) -> dict[str, Spread]:
        peaks = [each for each in self._vllm if each.peak is not None and not each.row.get("encodes")]
        factor = spread({s.id: (s.peak or 0) / s.work for s in peaks if s.work >= _MUCH_WORK})
        factor = factor or self._base.activation_factor
        small = {s.id: (s.peak or 0) - factor.value * s.work for s in peaks if s.work < _MUCH_WORK}
        workspace = spread({name: max(value, 0) for name, value in small.items()})
        found = {"activation_factor": factor, "workspace_gib": workspace or self._base.workspace_gib}
        names = [name for name in FITTED if "graph" in name]
        return found | {name: getattr(self._base, name) for name in names} | graphs.fitted(self._drawn)

    def _of_vllm(self, found: dict[str, Spread]) -> dict[str, Spread]:
        """Fit what differs between engines, and with it what is left of vLLM's budgets."""
        known = {"loading_share": self._loading(), "non_torch_gib": self._non_torch()}
        made = {name: value for name, value in known.items() if value is not None}
        alone = made.get("non_torch_gib", self._base.vllm.non_torch_gib).value
        rest = {each.id: _rest(each, found) - alone for each in self._vllm if each.left is not None}
        by_id = {each.id: each for each in self._vllm}
        own = [each for each in by_id.values() if each.id in rest and not each.row.get("unified")]
        encoder = spread(
            {
                s.id: max(_over_peak(s, found) if s.peak is not None else rest[s.id], 0)
                for s in own
                if s.row.get("encodes") and s.ranks <= 2
            }
        )
        # How much there is depends on the tower: the smallest add nothing.
        found["encoder_gib"] = encoder.model_copy(update={"low": 0.0}) if encoder else self._base.encoder_gib
        image = found["encoder_gib"].value
        plain = {s.id: rest[s.id] - (image if s.row.get("encodes") and s.peak is None else 0) for s in own}
        group = {
            s.id: max(plain[s.id] if s.non_torch is None else s.non_torch - alone, 0)
            for s in own
            if s.ranks > 1 and not s.sparse
        }
        made["non_torch_gib_of_group"] = spread(group) or self._base.vllm.non_torch_gib_of_group
        shared = made["non_torch_gib_of_group"].value
        latent = {s.id: max(plain[s.id] - shared * (s.ranks > 1), 0) for s in own if s.sparse}
        indexed = {name: value for name, value in latent.items() if by_id[name].indexed}
        made["latent_workspace_gib"] = spread(latent) or self._base.vllm.latent_workspace_gib
        made["sparse_workspace_gib"] = spread(indexed) or made["latent_workspace_gib"]
        hosts = {
            s.id: max(rest[s.id] - image, 0) / (s.row.get("share", 0.92) * s.row["total"])
            for s in by_id.values()
            if s.id in rest and s.row.get("unified")
        }
        found["unified_share"] = spread(hosts) or self._base.unified_share
        return made

    def _loading(self) -> Spread | None:
        sure = [s for s in self._vllm if "weights" in s.row["log"] and s.row.get("sure", True)]
        plain = [s for s in sure if not s.row.get("old_rotary")]
        # A rank holds no less than its parameters: what a log says below them is its last digit.
        return spread({s.id: max(s.row["log"]["weights"] / s.parameters - 1, 0) for s in plain}, digits=4)

    def _non_torch(self) -> Spread | None:
        return spread({s.id: s.non_torch for s in self._vllm if s.non_torch is not None and s.ranks == 1})

    def _of_sglang(self, vllm: EngineCalibration) -> dict[str, Spread]:
        base, loaded = self._base.sglang, [s for s in self._sglang if "weights" in s.row["log"]]
        whole = {s.id: s.row["log"]["weights"] - s.parameters for s in loaded if not s.experts}
        once = spread(whole) or base.loading_gib
        parts = {
            s.id: (s.row["log"]["weights"] - s.parameters - once.value) / s.experts
            for s in loaded
            if s.experts
        }
        before = [s for s in self._sglang if "before" in s.row["log"] and "total" in s.row]
        free = {s.id: _seen_total(s.row, self._base) - s.row["log"]["before"] for s in before}
        alone = spread({s.id: free[s.id] for s in before if s.ranks == 1}) or base.non_torch_gib
        shared = {s.id: max(free[s.id] - alone.value, 0) for s in before if s.ranks > 1}
        return {
            "loading_gib": once,
            "loading_share": spread(parts, digits=4) or base.loading_share,
            "non_torch_gib": alone,
            # No other log says what a group takes; vLLM's buffers are the same libraries'.
            "non_torch_gib_of_group": spread(shared) or vllm.non_torch_gib_of_group,
        }


def _seen_total(row: Row, base: Calibration) -> float:
    return float(row["total"]) - (base.driver_gib.value if row.get("driver") else 0.0)


def _rest(each: Seen, found: dict[str, Spread]) -> float:
    """Give what is left of a budget when activations and graphs are taken away."""
    assert each.left is not None
    log = each.row["log"]
    if "peak" in log:
        return float(each.left - log["peak"])
    work = found["activation_factor"].value * each.work + found["workspace_gib"].value
    drawn = found["graph_mib_per_layer"].value * each.layers_and_graphs * MIB / GIB
    if each.layers_and_graphs:
        drawn += found["graph_gib"].value
    return each.left - work - (0.0 if each.row.get("old") else float(log.get("estimate", drawn)))


def _over_peak(each: Seen, found: dict[str, Spread]) -> float:
    """Give what a logged peak has beyond the work of the text model."""
    work = found["activation_factor"].value * each.work + found["workspace_gib"].value
    return (each.peak or 0.0) - work


def groups(rows: list[Row]) -> Iterator[list[Row]]:
    """Put logs together that share a report or a model of the same sizes."""
    rest = list(rows)
    while rest:
        group, keys = [rest.pop(0)], set()
        keys = _keys(group[0])
        while more := [row for row in rest if keys & _keys(row)]:
            group += more
            rest = [row for row in rest if row not in more]
            keys |= {key for row in more for key in _keys(row)}
        yield group


def _keys(row: Row) -> set[object]:
    model = model_of(row)
    return {row.get("report", row["id"]), (model.hidden_size, model.num_hidden_layers, model.vocab_size)}


def held_out(rows: list[Row]) -> dict[str, Outcome]:
    """Predict each log by the others."""
    found: dict[str, Outcome] = {}
    for group in groups(rows):
        names = {row["id"] for row in group}
        drawn = graphs.unrelated({row["model"] for row in group}, names)
        others = [row for row in rows if row["id"] not in names]
        figures = Fit(others, catalog.calibration(), drawn).calibration()
        with patch.object(catalog, "calibration", lambda figures=figures: figures):
            found |= {row["id"]: outcome(row) for row in group}
    return found


def fitted_lines(figures: Calibration) -> dict[str, str]:
    """Write each fitted figure as a line of the file, by its dotted key."""
    found: dict[str, str] = {}
    for key in FITTED:
        part, _, name = key.rpartition(".")
        found[key] = _line(getattr(getattr(figures, part) if part else figures, name))
    return found


def _line(each: Spread) -> str:
    figures = f"value: {each.value:g}, low: {each.low:g}, high: {each.high:g}, logs: {each.logs}"
    return f'{{{figures}, source: "{each.source}"}}'


def written(text: str, lines: dict[str, str]) -> str:
    """Put fitted lines into the file."""
    section, out = "", []
    for line in text.splitlines():
        name, colon, _ = line.strip().partition(":")
        if colon and not line.startswith((" ", "#")):
            section = f"{name}." if name in {"vllm", "sglang"} else ""
        key = section + name if line.startswith("  ") else name
        indent = line[: len(line) - len(line.lstrip())]
        out.append(f"{indent}{name}: {lines[key]}" if key in lines else line)
    return "\n".join(out) + "\n"


def main(write: Callable[[str], object]) -> None:
    lines = fitted_lines(Fit(ROWS, catalog.calibration()).calibration())
    if "--write" in sys.argv:
        FILE.write_text(written(FILE.read_text("utf-8"), lines), "utf-8")
    write("".join(f"{key}: {line}\n" for key, line in lines.items()))


if __name__ == "__main__":
    main(sys.stdout.write)
