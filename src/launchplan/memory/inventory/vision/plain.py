"""A tower of unknown make, counted as a transformer of its width and depth: a guess, and said to be one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from launchplan.memory.inventory.vision.blocks import attention, encoder, feed_forward, linear, tower

if TYPE_CHECKING:
    from launchplan.memory.inventory.blocks import Tensors
    from launchplan.memory.inventory.sizes import Sizes

# A transformer's feed-forward block is four times its width where the config does not say.
_USUAL_RATIO = 4


def list_tensors(sizes: Sizes) -> Tensors:
    """List a plain tower; nothing where not even its width and depth are known."""
    vision = sizes.model.vision
    if vision is None or not vision.hidden_size or not vision.num_layers:
        return ()
    hidden = vision.hidden_size
    width = sizes.integer("vision_config.intermediate_size", _USUAL_RATIO * hidden)
    site = tower("vision.")
    layer = encoder(site.at("layers.{}"), vision.num_layers)
    return (
        *attention(layer, hidden, hidden, bias=True, names=("qkv", "proj")),
        *feed_forward(layer, hidden, width, bias=True, names=("fc1", "fc2")),
        layer.vector("norms", "vision", 4 * hidden),
        *linear(tower("projector."), "linear", (sizes.hidden, hidden), kind="projector"),
    )
