"""What a plan says of a sample besides its name and its case: how the case is gated and what people call it."""

from dataclasses import fields

from greenroom.conversation.outcomes import PlannedSample, SampleKey
from greenroom.store.encoding import decode_text, encode_text

__all__ = ["gate_of", "planned_from"]

_GATE = tuple((field.name, field.default) for field in fields(PlannedSample) if field.name not in {"key", "case_hash"})


def gate_of(planned: PlannedSample) -> str:
    """The column's text: only what differs from a single, unnamed sample."""
    values = ((name, getattr(planned, name), default) for name, default in _GATE)
    return encode_text({name: value for name, value, default in values if value != default})


def planned_from(key: SampleKey, case_hash: str, gate: str) -> PlannedSample:
    """The planned sample again."""
    values = decode_text(dict[str, str | int], gate)
    return PlannedSample(key=key, case_hash=case_hash, **values)  # pyright: ignore[reportArgumentType]
