"""What checkpoints hold, from their architecture and from their files."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING

import pytest

from launchplan import catalog
from launchplan.architecture import read_architecture
from launchplan.memory.checkpoint import CheckpointSize, checkpoint_size, checkpoint_size_on_disk
from tests.memory.kit import Row, architecture, table

if TYPE_CHECKING:
    from pathlib import Path

KNOWN = table("checkpoints.yaml")


@pytest.mark.parametrize("row", KNOWN, ids=[row["checkpoint"] for row in KNOWN])
def test_published_sizes_come_out(row: Row) -> None:
    size = checkpoint_size(architecture(row["checkpoint"]))
    assert size is not None
    assert size.uncertain == ()
    if "parameters" in row:
        assert size.parameters == pytest.approx(row["parameters"], rel=1e-6)
    if "bytes" in row:
        assert size.total == pytest.approx(row["bytes"], rel=5e-4)


def test_catalog_sizes_come_out() -> None:
    """Compare with every size of the catalog that was read somewhere, not computed."""
    wrong = {}
    for entry in catalog.models():
        for each in entry.checkpoints:
            size = checkpoint_size(entry.architecture(each.id))
            if size is None or each.bytes is None or "computed" in (each.bytes_source or ""):
                continue
            error = size.total / each.bytes - 1
            if abs(error) > 0.02:
                wrong[each.id] = (round(error, 2), bool(size.uncertain))
    assert wrong == {"Eco-Tech/Qwen3.8-27B-w8a8": (-0.03, True)}


def test_classes_of_kimi_k3() -> None:
    size = checkpoint_size(architecture("moonshotai/Kimi-K3"))
    assert size is not None
    assert size.total == 1_560_860_324_864
    by_class = dict(size.by_class)
    assert by_class["experts"] == 1_446_456_066_048
    assert by_class["linear_attention"] == 61_258_257_408
    assert by_class["shared_experts"] == 24_310_185_984
    assert by_class["mla"] == 11_145_314_304
    assert by_class["latent"] == 9_453_961_216
    assert sum(by_class.values()) == size.total


@pytest.mark.parametrize(
    ("config", "uncertain"),
    [
        ({}, ()),
        (
            {"quantization_config": {"quant_method": "modelopt", "quant_algo": "NVFP4"}},
            ("the checkpoint does not list what it leaves unquantized",),
        ),
    ],
)
def test_doubts_are_said(config: dict[str, object], uncertain: tuple[str, ...]) -> None:
    entry = catalog.model("Qwen/Qwen3-8B")
    assert entry is not None
    size = checkpoint_size(read_architecture({**entry.config, **config}))
    assert size is not None
    assert size.uncertain == uncertain


def test_unknown_model_has_no_size() -> None:
    assert checkpoint_size(read_architecture({"architectures": ["SomethingNew"]})) is None


def test_unknown_format_has_no_size() -> None:
    entry = catalog.model("Qwen/Qwen3-8B")
    assert entry is not None
    config = {**entry.config, "quantization_config": {"quant_method": "something_new"}}
    assert checkpoint_size(read_architecture(config)) is None


def write_safetensors(path: Path, tensors: dict[str, int]) -> None:
    """Write a file whose tensors have so many bytes."""
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    start = 0
    for name, size in tensors.items():
        header[name] = {"dtype": "U8", "shape": [size], "data_offsets": [start, start + size]}
        start += size
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + bytes(start))


def test_headers_are_read(tmp_path: Path) -> None:
    write_safetensors(tmp_path / "model-00001-of-00002.safetensors", {"a": 10, "b": 7})
    write_safetensors(tmp_path / "model-00002-of-00002.safetensors", {"c": 5})
    write_safetensors(tmp_path / "consolidated.safetensors", {"again": 22})
    assert checkpoint_size_on_disk(tmp_path) == CheckpointSize(22, {}, 0, "files")


def write_index(folder: Path, total: object, *files: str) -> None:
    index = {"metadata": {"total_size": total}, "weight_map": {name: name for name in files}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index), "utf-8")


def test_index_is_read_when_files_are_missing(tmp_path: Path) -> None:
    write_safetensors(tmp_path / "one.safetensors", {"a": 10})
    write_index(tmp_path, 42, "one.safetensors", "two.safetensors")
    assert checkpoint_size_on_disk(tmp_path) == CheckpointSize(42, {}, 0, "files")


def test_files_are_preferred_to_a_stale_index(tmp_path: Path) -> None:
    write_safetensors(tmp_path / "one.safetensors", {"a": 10})
    write_index(tmp_path, 42, "one.safetensors")
    assert checkpoint_size_on_disk(tmp_path) == CheckpointSize(10, {}, 0, "files")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"short",
        struct.pack("<Q", 2**60),
        struct.pack("<Q", 4) + b"nope",
        struct.pack("<Q", 2) + b"[]",
        struct.pack("<Q", 8) + b'{"a": 1}',
        struct.pack("<Q", 27) + b'{"a": {"data_offsets": [1]}}'[:27],
    ],
)
def test_broken_files_have_no_size(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "model.safetensors").write_bytes(content)
    assert checkpoint_size_on_disk(tmp_path) is None


@pytest.mark.parametrize("total", [None, "many", -1])
def test_broken_index_has_no_size(tmp_path: Path, total: object) -> None:
    write_index(tmp_path, total)
    assert checkpoint_size_on_disk(tmp_path) is None
