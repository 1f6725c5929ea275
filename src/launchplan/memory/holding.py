"""What a rank holds besides its pool: the same terms in the same order, whichever engine counts them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from launchplan import catalog
from launchplan.memory import budget as terms
from launchplan.memory.activations import Batch, activation_bytes, least_activation_bytes
from launchplan.memory.measured import Measured, with_measured
from launchplan.memory.weights import rank_weights

if TYPE_CHECKING:
    from launchplan.architecture import Architecture
    from launchplan.memory.budget import Device, Engine
    from launchplan.memory.terms import Interval, Term
    from launchplan.memory.weights import Cut, RankWeights


class RankInputs(Protocol):
    """What both engines' inputs have in common."""

    @property
    def model(self) -> Architecture:
        """The model that is served."""

    @property
    def device(self) -> Device:
        """The GPU."""

    @property
    def graphs(self) -> int:
        """How many CUDA graphs are captured."""

    @property
    def early_graphs(self) -> bool:
        """Whether a driver that takes more for a graph may run this release."""

    @property
    def encodes(self) -> bool:
        """Whether an encoder of images is profiled."""

    @property
    def measured(self) -> tuple[Measured, ...]:
        """Terms that a log measured."""


@dataclass(frozen=True, slots=True)
class Holding:
    """The terms of one rank, and the parameters behind them."""

    driver: Term
    weights: Term
    activations: Term
    graphs: Term
    context: Term
    """CUDA context, libraries and communication buffers."""
    parameters: RankWeights

    @property
    def taken(self) -> tuple[Term, ...]:
        """The terms that the engine itself takes."""
        return (self.weights, self.activations, self.graphs, self.context)

    @property
    def terms(self) -> tuple[Term, ...]:
        """All terms, in the order of reports."""
        return (self.driver, *self.taken)


def hold(
    inputs: RankInputs, engine: Engine, cut: Cut, batch: Batch, *, ranks: int, draft_bytes: int
) -> Holding | None:
    """Compose what a rank of a stage holds; None when a size of the model is not known.

    `ranks` is the size of the tensor parallel group, `draft_bytes` what a draft model adds on this stage.
    """
    known = catalog.calibration()
    figures = known.vllm if engine == "vllm" else known.sglang
    parameters = rank_weights(inputs.model, cut)
    working = activation_bytes(inputs.model, batch)
    if parameters is None or working is None:
        return None
    driver, weights, activations, graphs, context = with_measured(
        (
            terms.driver_term(inputs.device, known),
            terms.weights_term(parameters, draft_bytes, figures),
            terms.activations_term(
                inputs.model,
                working,
                least_activation_bytes(inputs.model, batch),
                known,
                figures,
                encodes=inputs.encodes,
            ),
            terms.graphs_term(
                len(cut.stage.layers),
                inputs.graphs,
                known,
                early=inputs.early_graphs,
                experts=inputs.model.is_moe,
            ),
            terms.non_torch_term(ranks, figures),
        ),
        inputs.measured,
    )
    return Holding(driver, weights, activations, graphs, context, parameters)


def measured_pool(inputs: RankInputs) -> Interval | None:
    """Give the pool that a log measured, or None."""
    return next((each.bytes for each in inputs.measured if each.name == "pool"), None)
