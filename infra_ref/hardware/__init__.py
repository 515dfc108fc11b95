"""Accelerators: what their makers publish, with units, and with the evidence one call away."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from infra_ref import data
from infra_ref.data import DataError, Fact
from infra_ref.units import Q, Quantity, magnitude

_FACTS = {
    "memory_bandwidth": "B/s",
    "memory_capacity": "B",
    "l2": "B",
    "sm_count": "",
    "registers_per_sm": "B",
    "shared_memory_per_sm": "B",
    "link_bandwidth": "B/s",
}
SPARSITIES = ("dense", "2:4")


class UnknownAccelerator(KeyError):
    """An id that is not in the data."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True)
class Peak:
    """A published peak rate: never a number without its dtype, sparsity and accumulator."""

    dtype: str
    sparsity: str
    accumulator: str
    fact: Fact


@dataclass(frozen=True)
class Accelerator:
    """One device. Quantities come from `fact`; a value that nobody has published raises `UnknownValue`."""

    id: str
    name: str
    arch: str
    year: int
    facts: Mapping[str, Fact]
    peaks: tuple[Peak, ...]

    def fact(self, name: str) -> Fact:
        """The value, unit, kind, source, date and note behind one property.

        Args:
            name: such as "memory_bandwidth", or "peak bf16 dense fp32".
        Raises:
            ValueError: a name that this device has no fact for.
        """
        known = dict(self.facts) | {f"peak {p.dtype} {p.sparsity} {p.accumulator}": p.fact for p in self.peaks}
        if name not in known:
            raise ValueError(f"name must be one of {', '.join(known)}, not {name!r}")
        return known[name]

    def peak(self, *, dtype: str, sparsity: str = "dense", accumulator: str | None = None) -> Quantity:
        """Peak rate of matrix products, or of vector arithmetic for fp32 and fp64.

        Args:
            dtype: of the operands, such as "bf16".
            sparsity: "dense", or "2:4" for the structured sparsity that makers print in headlines.
            accumulator: of the partial sums; None takes the first that is listed, which is the widest.
        Returns:
            FLOP/s (int8: integer operations per second).
        Raises:
            ValueError: a combination that the maker does not list.
        """
        if sparsity not in SPARSITIES:
            raise ValueError(f"sparsity must be one of {', '.join(SPARSITIES)}, not {sparsity!r}")
        of_dtype = [p for p in self.peaks if p.dtype == dtype and p.sparsity == sparsity]
        if not of_dtype:
            listed = dict.fromkeys(p.dtype for p in self.peaks if p.sparsity == sparsity)
            raise ValueError(
                f"dtype must be one of {', '.join(listed) or 'none'} ({sparsity}, {self.id}), not {dtype!r}"
            )
        for p in of_dtype:
            if accumulator in (None, p.accumulator):
                return p.fact.quantity
        raise ValueError(
            f"accumulator must be one of {', '.join(p.accumulator for p in of_dtype)}, not {accumulator!r}"
        )

    def ridge(self, *, dtype: str) -> Quantity:
        r"""Arithmetic intensity at which the dense peak and the memory bandwidth take the same time: $P / W$.

        Returns:
            FLOP/B, exact.
        """
        return Q(self.peak(dtype=dtype) / self.memory_bandwidth, "FLOP/B")

    @property
    def memory_bandwidth(self) -> Quantity:
        """Bandwidth of the device memory, as published."""
        return self.facts["memory_bandwidth"].quantity

    @property
    def memory_capacity(self) -> Quantity:
        """Device memory, as published."""
        return self.facts["memory_capacity"].quantity

    @property
    def l2(self) -> Quantity:
        """Last-level cache of the whole device."""
        return self.facts["l2"].quantity

    @property
    def sm_count(self) -> int:
        """Enabled streaming multiprocessors."""
        return int(magnitude(self.facts["sm_count"].quantity, ""))

    @property
    def registers_per_sm(self) -> Quantity:
        """Register file of one streaming multiprocessor."""
        return self.facts["registers_per_sm"].quantity

    @property
    def shared_memory_per_sm(self) -> Quantity:
        """Most shared memory that one streaming multiprocessor can be configured for."""
        return self.facts["shared_memory_per_sm"].quantity

    @property
    def link_bandwidth(self) -> Quantity:
        """All links between accelerators together, in one direction."""
        return self.facts["link_bandwidth"].quantity


def as_accelerator(id: str, table: Mapping[str, Any]) -> Accelerator:
    """Validate one table of accelerators.toml.

    Raises:
        DataError: a field that is missing, unknown or of another unit, or two peaks of the same kind.
    """
    if set(table) != {"name", "arch", "year", "peak", *_FACTS}:
        difference = sorted(set(table) ^ {"name", "arch", "year", "peak", *_FACTS})
        raise DataError(f"{id}: missing or unknown fields {difference}")
    sources = data.sources()
    facts = {name: data.as_fact(f"{id} {name}", table[name], sources) for name in _FACTS}
    peaks = []
    for row in table["peak"]:
        fact = {field: value for field, value in row.items() if field not in ("dtype", "sparsity", "accumulator")}
        dtype, sparsity, accumulator = row.get("dtype"), row.get("sparsity"), row.get("accumulator")
        if not dtype or not accumulator or sparsity not in SPARSITIES:
            raise DataError(
                f"{id}: a peak names its dtype, sparsity ({' or '.join(SPARSITIES)}) and accumulator: {row}"
            )
        name = f"{id} peak {dtype} {sparsity} {accumulator}"
        peaks.append(Peak(dtype, sparsity, accumulator, data.as_fact(name, fact, sources)))
    if len({(p.dtype, p.sparsity, p.accumulator) for p in peaks}) != len(peaks):
        raise DataError(f"{id}: two peaks of the same dtype, sparsity and accumulator")
    expected = [(facts[name], unit) for name, unit in _FACTS.items()] + [(p.fact, "FLOP/s") for p in peaks]
    for known, unit in expected:
        if not Q(0, known.unit).is_compatible_with(Q(0, unit)):
            raise DataError(f"{known.name}: {known.unit!r} does not measure what {unit or 'a count'!r} measures")
    return Accelerator(id, table["name"], table["arch"], table["year"], facts, tuple(peaks))


@cache
def _accelerators() -> Mapping[str, Accelerator]:
    return {id: as_accelerator(id, table) for id, table in data.read("accelerators.toml").items()}


def ids() -> tuple[str, ...]:
    """Ids of all known accelerators."""
    return tuple(_accelerators())


def accelerator(id: str) -> Accelerator:
    """Look up an accelerator.

    Args:
        id: such as "h100-sxm".
    Raises:
        UnknownAccelerator: no such id; the message lists them.
    """
    if id not in _accelerators():
        raise UnknownAccelerator(f"unknown accelerator {id!r}; known: {', '.join(ids())}")
    return _accelerators()[id]
