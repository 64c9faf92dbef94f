"""Usage blocks of providers, normalised: `input_tokens` is what was not read from a cache (M01, M02, M05)."""

from greenroom.conversation.json_values import Json, JsonObject
from greenroom.conversation.usage import Usage
from greenroom.models.json_text import as_object

__all__ = ["usage_of"]


def usage_of(block: Json) -> Usage:
    """One call's usage from either form; zero tokens when the provider reports none.

    In OpenAI's forms cached tokens are part of the input; in Anthropic's they stand beside it.
    """
    raw = as_object(block)
    if raw is None:
        return Usage(calls=1)
    if "prompt_tokens" in raw:
        details = as_object(raw.get("prompt_tokens_details")) or {}
        return _subset(raw, details, _count(raw, "prompt_tokens"), _count(raw, "completion_tokens"))
    if "input_tokens_details" in raw:
        details = as_object(raw.get("input_tokens_details")) or {}
        return _subset(raw, details, _count(raw, "input_tokens"), _count(raw, "output_tokens"))
    return _addition(raw)


def _subset(raw: JsonObject, details: JsonObject, whole: int, output: int) -> Usage:
    read = _count(details, "cached_tokens") or _count(raw, "prompt_cache_hit_tokens")
    read = min(read, whole)
    return Usage(input_tokens=whole - read, output_tokens=output, cache_read_tokens=read, calls=1)


def _addition(raw: JsonObject) -> Usage:
    written = _count(raw, "cache_creation_input_tokens")
    by_class = as_object(raw.get("cache_creation")) or {}
    hour = min(_count(by_class, "ephemeral_1h_input_tokens"), written)
    return Usage(
        input_tokens=_count(raw, "input_tokens") + written,
        output_tokens=_count(raw, "output_tokens"),
        cache_read_tokens=_count(raw, "cache_read_input_tokens"),
        cache_write_tokens=written - hour,
        cache_write_1h_tokens=hour,
        calls=1,
    )


def _count(raw: JsonObject, key: str) -> int:
    """A count that is one; gateways also send null."""
    value = raw.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
