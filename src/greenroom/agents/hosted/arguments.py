"""Whether a call's arguments fit the tool's parameters, and what the model hears when they don't.

The schema is compiled at the first call to the tool and kept; jsonschema is loaded then, so that a run whose agents
call nothing never pays for it (0.07 s). Its patterns are JavaScript's, as JSON Schema has them, and stopped in time:
what a model writes must not hang the process (features.md C12).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, cast

from greenroom.conversation.json_values import Json
from greenroom.conversation.turns import StopReason
from greenroom.errors import CaseFault, PatternRefused, PatternTimeout
from greenroom.nearest import did_you_mean
from greenroom.patterns import search

__all__ = ["Arguments"]

_MESSAGE_CHARS = 300
"""A finding quotes the value; a model needs no more of it than this."""
_FINDINGS = 3


class _Finding(Protocol):
    message: str
    json_path: str


class _Validator(Protocol):
    def iter_errors(self, instance: object) -> Iterable[_Finding]: ...


class Arguments:
    """The parameters of one tool."""

    def __init__(self, tool: str, schema: Mapping[str, Json]) -> None:
        self._tool = tool
        self._schema = schema
        self._validator: _Validator | None = None
        self.takes_time = _holds_pattern(schema)
        """A pattern may take half a second: `problem` is then to be asked off the event loop."""

    def problem(self, arguments: Json) -> str | None:
        """Why these arguments can't be used, as a sentence for the model; None when they can.

        Raises `CaseFault` with cause `agent` when the tool's own schema can't be used.
        """
        if not isinstance(arguments, Mapping):
            return f"the arguments of {self._tool} must be one JSON object; got {_cut(repr(arguments))}"
        if self._validator is None:
            self._validator = self._compiled()
        found = self._findings(self._validator, arguments)
        if not found:
            return None
        return f"the arguments don't fit the parameters of {self._tool}: {'; '.join(found)}{self._hint(arguments)}"

    def _findings(self, validator: _Validator, arguments: Mapping[str, Json]) -> list[str]:
        from referencing.exceptions import Unresolvable  # noqa: PLC0415  # loaded with jsonschema, at the first call

        try:
            errors = sorted(validator.iter_errors(arguments), key=lambda error: error.json_path)
        except (Unresolvable, PatternTimeout, PatternRefused) as fault:
            raise self._unusable(str(fault)) from fault
        return [_sentence(error) for error in errors[:_FINDINGS]]

    def _hint(self, arguments: Mapping[str, Json]) -> str:
        """The nearest right name, for the first parameter that the tool doesn't have."""
        properties = self._schema.get("properties")
        known = list(properties) if isinstance(properties, Mapping) else []
        unknown = next((name for name in arguments if name not in known), None)
        return did_you_mean(unknown, known) if unknown is not None else ""

    def _compiled(self) -> _Validator:
        from jsonschema import (  # noqa: PLC0415  # see the module
            Draft202012Validator,
            FormatChecker,
            SchemaError,
            validators,
        )
        from referencing import Registry  # noqa: PLC0415

        kinds = cast("Any", validators)
        kind = kinds.validator_for(self._schema, default=Draft202012Validator)
        try:
            # No formats: a JavaScript expression need not be one of Python's.
            kind.check_schema(self._schema, format_checker=FormatChecker(formats=()))
        except SchemaError as fault:
            raise self._unusable(fault.message) from fault
        kind = kinds.extend(kind, {"pattern": _pattern})
        # An empty registry: a `$ref` to an address is refused and never fetched.
        checker = FormatChecker(formats=("date",))
        return cast("_Validator", kind(self._schema, registry=cast("Any", Registry)(), format_checker=checker))

    def _unusable(self, why: str) -> CaseFault:
        return CaseFault(
            "agent",
            f"the parameters of the tool {self._tool} are no JSON Schema that can be used: {_cut(why)}",
            stopped=StopReason.AGENT_ERROR,
        )


def _holds_pattern(schema: Json) -> bool:
    if isinstance(schema, Mapping):
        return "pattern" in schema or any(map(_holds_pattern, schema.values()))
    return isinstance(schema, Sequence) and not isinstance(schema, str) and any(map(_holds_pattern, schema))


def _pattern(_validator: object, pattern: str, instance: object, _schema: object) -> Iterator[Exception]:
    """The keyword `pattern` for jsonschema, whose own runs Python's expressions without a bound."""
    from jsonschema import ValidationError  # noqa: PLC0415  # see the module

    if isinstance(instance, str) and not search(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _sentence(error: _Finding) -> str:
    where = error.json_path.removeprefix("$").removeprefix(".")
    return f"{where}: {_cut(error.message)}" if where else _cut(error.message)


def _cut(text: str) -> str:
    return text if len(text) <= _MESSAGE_CHARS else f"{text[:_MESSAGE_CHARS]}…"
