"""The blocks that most families share: attention, MLPs, experts, embeddings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from launchplan.memory.tensors import Kind, Part, Place, Split, Tensor

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Tensors = tuple[Tensor, ...]


@dataclass(frozen=True, slots=True)
class Site:
    """Where a block stands: the start of its modules' names, and the layers that have it."""

    prefix: str
    layers: tuple[int, ...] | None = None
    part: Part = "text"
    place: Place = "layer"

    def at(self, name: str) -> Site:
        """Go into a module."""
        return replace(self, prefix=f"{self.prefix}{name}.")

    def matrix(
        self,
        name: str,
        kind: Kind,
        shape: tuple[int, int],
        split: Split = "whole",
        *,
        heads: int = 1,
        quantizable: bool = True,
        bias: bool = False,
    ) -> Tensors:
        """List a linear layer of `shape` (outputs, inputs), with its bias if it has one."""
        rows, columns = shape
        matrix = Tensor(
            name=self.prefix + name,
            kind=kind,
            rows=rows,
            columns=columns,
            layers=self.layers,
            split=split,
            heads=heads,
            part=self.part,
            place=self.place,
            quantizable=quantizable,
        )
        if not bias:
            return (matrix,)
        # The bias of a row-parallel layer is added once, after the sum over ranks.
        return (
            matrix,
            self.vector(f"{name}.bias", kind, rows, "whole" if split == "columns" else split, heads=heads),
        )

    def vector(
        self,
        name: str,
        kind: Kind,
        size: int,
        split: Split = "whole",
        *,
        heads: int = 1,
        width: int | None = None,
        loaded_width: int | None = None,
    ) -> Tensor:
        """List a tensor that no format quantizes; `width` in bytes where the checkpoint fixes it."""
        return Tensor(
            name=self.prefix + name,
            kind=kind,
            rows=size,
            layers=self.layers,
            split=split,
            heads=heads,
            part=self.part,
            place=self.place,
            width=width,
            loaded_width=loaded_width or width,
        )

    def norms(self, size: int, *names: str, biased: bool = False) -> Tensors:
        """List normalisations of one size."""
        return tuple(self.vector(name, "norm", size * (2 if biased else 1)) for name in names)


@dataclass(frozen=True, slots=True)
class Heads:
    """Sizes of a layer of grouped-query attention."""

    queries: int
    keys: int
    size: int
    value_size: int
    gated: bool = False
    """The query projection also gives an output gate."""
    values_are_keys: bool = False
    """The checkpoint has no values of their own; engines load the keys twice."""
    bias: bool = False
    output_bias: bool = False


def grouped_query(site: Site, hidden: int, heads: Heads) -> Tensors:
    """List the projections of grouped-query attention."""
    queries = heads.queries * heads.size * (2 if heads.gated else 1)
    keys, values = heads.keys * heads.size, heads.keys * heads.value_size
    tensors = site.matrix("q_proj", "attention", (queries, hidden), "rows", bias=heads.bias)
    tensors += site.matrix("k_proj", "attention", (keys, hidden), "heads", heads=heads.keys, bias=heads.bias)
    value = site.matrix("v_proj", "attention", (values, hidden), "heads", heads=heads.keys, bias=heads.bias)
    if heads.values_are_keys:
        value = tuple(replace(each, held_by=frozenset({"vllm", "sglang"})) for each in value)
    tensors += value
    out = (hidden, heads.queries * heads.value_size)
    return tensors + site.matrix("o_proj", "attention", out, "columns", bias=heads.output_bias)


def mlp(
    site: Site,
    hidden: int,
    width: int,
    *,
    kind: Kind = "mlp",
    names: tuple[str, ...] = ("gate_proj", "up_proj", "down_proj"),
    bias: bool = False,
) -> Tensors:
    """List a feed-forward block; two names make it one without a gate."""
    *inner, down = names
    tensors: Tensors = ()
    for name in inner:
        tensors += site.matrix(name, kind, (width, hidden), "rows", bias=bias)
    return tensors + site.matrix(down, kind, (hidden, width), "columns", bias=bias)


def experts(
    site: Site,
    count: int,
    hidden: int,
    width: int,
    names: tuple[str, ...] = ("gate_proj", "up_proj", "down_proj"),
) -> Tensors:
    """List the routed experts of a layer; `site` stands above the experts' numbers."""
    block = mlp(site.at("*"), hidden, width, kind="experts", names=names)
    return tuple(replace(tensor, copies=count) for tensor in block)


def router(site: Site, count: int, hidden: int, name: str = "gate", width: int | None = None) -> Tensors:
    """List the gate that picks the experts; no format quantizes it."""
    gates = site.matrix(name, "router", (count, hidden), quantizable=False)
    return tuple(replace(gate, width=width, loaded_width=width) for gate in gates)


def vocabulary(prefix: str, size: int, hidden: int, *, tied: bool, head: str = "lm_head") -> Tensors:
    """List the embedding and the output layer; a tied output layer is the embedding."""
    embedding = Tensor(
        name=f"{prefix}embed_tokens",
        kind="embedding",
        rows=size,
        columns=hidden,
        split="vocabulary",
        place="ends" if tied else "first",
    )
    if tied:
        return (embedding,)
    output = replace(embedding, name=head, kind="lm_head", place="last", quantizable=True)
    return (embedding, output)


def stored_again(site: Site, size: int, hidden: int, embedding: str | None, head: str) -> Tensors:
    """List the copies of embedding and output layer in a prediction layer; engines use the model's own."""
    tensors: Tensors = ()
    if embedding is not None:
        tensors += site.matrix(embedding, "embedding", (size, hidden), "vocabulary", quantizable=False)
    tensors += site.matrix(head, "lm_head", (size, hidden), "vocabulary", quantizable=False)
    return tuple(replace(each, held_by=frozenset({"checkpoint"})) for each in tensors)


def final_norm(prefix: str, hidden: int, *, biased: bool = False) -> Tensors:
    """List the normalisation after the last layer."""
    return Site(prefix, place="last").norms(hidden, "norm", biased=biased)


def gather(*groups: Iterable[Tensor]) -> Tensors:
    """Join lists of tensors, leaving out those that no layer has."""
    return tuple(_present(groups))


def _present(groups: tuple[Iterable[Tensor], ...]) -> Iterator[Tensor]:
    for group in groups:
        yield from (tensor for tensor in group if tensor.layers != () and tensor.rows and tensor.copies)
