"""Usage blocks of providers, normalised: `input_tokens` is what was not read from a cache (M01, M02, M05).

What a block doesn't tell stays unknown, never 0 (M06): the call then counts as `unreported`.
"""

from greenroom.conversation.json_values import Json, JsonObject
from greenroom.conversation.usage import Usage
from greenroom.models.json_text import as_object

__all__ = ["usage_of"]


def usage_of(block: Json) -> Usage:
    """One call's usage from either form.

    In OpenAI's forms cached tokens are part of the input; in Anthropic's they stand beside it. Where one of input and
    output is missing it follows from the total. No call uses nothing, so a block of zeros is one that tells nothing.
    """
    raw = as_object(block) or {}
    read = _count(raw, "prompt_tokens", "input_tokens")
    written = _count(raw, "completion_tokens", "output_tokens")
    total = _count(raw, "total_tokens")
    if total is not None:
        if read is None and written is not None:
            read = max(total - written, 0)
        elif written is None and read is not None:
            written = max(total - read, 0)
    details = as_object(raw.get("prompt_tokens_details")) or as_object(raw.get("input_tokens_details"))
    inclusive = details is not None or "prompt_tokens" in raw or "input_tokens" not in raw
    usage = _subset(raw, details or {}, read or 0) if inclusive else _addition(raw, read or 0)
    told = read is not None and written is not None
    unsplit = total or 0 if read is None and written is None else 0
    whole = Usage(output_tokens=written or 0, unsplit_tokens=unsplit, calls=1) + usage
    return whole if told and whole.tokens else whole + Usage(unreported=1, unsplit_calls=1 if unsplit else 0)


def _subset(raw: JsonObject, details: JsonObject, whole: int) -> Usage:
    """Cached tokens are part of `whole`; some gateways tell what was written to a cache as well."""
    read = _count(details, "cached_tokens") or _count(raw, "prompt_cache_hit_tokens", "cached_tokens") or 0
    read = min(read, whole)
    written = _count(details, "cache_write_tokens", "cache_creation_tokens")
    if written is None:
        written = _count(raw, "cache_creation_input_tokens") or 0
    return Usage(input_tokens=whole - read, cache_read_tokens=read, cache_write_tokens=min(written, whole - read))


def _addition(raw: JsonObject, fresh: int) -> Usage:
    """Cached tokens stand beside `fresh`."""
    by_class = as_object(raw.get("cache_creation")) or {}
    hour = _count(by_class, "ephemeral_1h_input_tokens") or 0
    minutes = _count(by_class, "ephemeral_5m_input_tokens") or 0
    written = _count(raw, "cache_creation_input_tokens")
    written = hour + minutes if written is None else written
    hour = min(hour, written)
    return Usage(
        input_tokens=fresh + written,
        cache_read_tokens=_count(raw, "cache_read_input_tokens") or 0,
        cache_write_tokens=written - hour,
        cache_write_1h_tokens=hour,
    )


def _count(raw: JsonObject, *keys: str) -> int | None:
    """The first of these that is a count; None when there is none, for gateways also send null."""
    for key in keys:
        value = raw.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
    return None
