"""How a model is written: `provider:name`, `openai:NAME@URL`, `script:FILE`, `replay:FILE`.

Decides from the text alone what kind of model is meant, and which environment variable holds its key. Opens nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit

from greenroom.errors import ModelSpecInvalid
from greenroom.nearest import did_you_mean

__all__ = ["COMPATIBLE_KEY", "PROVIDERS", "ModelKind", "ModelSpec", "Provider", "key_from", "parse_spec"]


class ModelKind(StrEnum):
    """Who answers."""

    OPENAI = "openai"
    """Our own client for OpenAI-compatible chat completions."""
    PROVIDER = "provider"
    """A model class of pydantic-ai."""
    SCRIPT = "script"
    REPLAY = "replay"


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A provider by name."""

    title: str
    keys: tuple[str, ...] = ()
    """Environment variables that may hold the key, the first one set wins; empty when it finds credentials itself."""
    base: str | None = None
    """Environment variable that may name another address."""


PROVIDERS: Mapping[str, Provider] = MappingProxyType({
    "openai": Provider(title="OpenAI", keys=("OPENAI_API_KEY",), base="OPENAI_BASE_URL"),
    "anthropic": Provider(title="Anthropic", keys=("ANTHROPIC_API_KEY",), base="ANTHROPIC_BASE_URL"),
    "google": Provider(title="Google", keys=("GOOGLE_API_KEY", "GEMINI_API_KEY")),
    "mistral": Provider(title="Mistral", keys=("MISTRAL_API_KEY",)),
    "groq": Provider(title="Groq", keys=("GROQ_API_KEY",)),
    "cohere": Provider(title="Cohere", keys=("CO_API_KEY",)),
    "bedrock": Provider(title="Amazon Bedrock"),
    "google-cloud": Provider(title="Google Cloud"),
    "openrouter": Provider(title="OpenRouter", keys=("OPENROUTER_API_KEY",)),
    "deepseek": Provider(title="DeepSeek", keys=("DEEPSEEK_API_KEY",)),
    "together": Provider(title="Together", keys=("TOGETHER_API_KEY",)),
    "fireworks": Provider(title="Fireworks", keys=("FIREWORKS_API_KEY",)),
    "cerebras": Provider(title="Cerebras", keys=("CEREBRAS_API_KEY",)),
    "moonshotai": Provider(title="Moonshot AI", keys=("MOONSHOTAI_API_KEY",)),
})
"""Every provider that can be named; all but `openai` are reached through pydantic-ai."""

COMPATIBLE_KEY: Final = "OPENAI_COMPATIBLE_API_KEY"
"""Holds the key of a server named by `@URL`: OpenAI's own key is never sent to another host."""

_FILE_KINDS = (ModelKind.SCRIPT.value, ModelKind.REPLAY.value)
_FORMS = "`provider:name`, `openai:NAME@http://HOST/v1`, `script:FILE` or `replay:FILE`"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpec:
    """A model as written, taken apart."""

    text: str
    """As it was written."""
    kind: ModelKind
    provider: str = ""
    model: str = ""
    """The provider's own name for it."""
    url: str | None = None
    """Where it is, when that was written."""
    path: Path | None = None
    """The file of a scripted or recorded model."""


def parse_spec(text: str, root: Path) -> ModelSpec:
    """What was written, taken apart; relative files stand under `root`.

    Raises:
        ModelSpecInvalid: an unknown provider (with the nearest right one), no name, or a URL that is none.
    """
    head, colon, rest = text.strip().partition(":")
    provider = head.strip().lower()
    known = (*PROVIDERS, *_FILE_KINDS)
    if not colon:
        if provider in known:
            raise ModelSpecInvalid(f"model {text!r} says only where it is, not which one; write {_FORMS}")
        hint = did_you_mean(provider, known)
        raise ModelSpecInvalid(f"model {text!r} names no provider; write {_FORMS}{hint}")
    if provider not in known:
        hint = did_you_mean(provider, known)
        raise ModelSpecInvalid(f"model {text!r}: unknown provider {head!r}{hint} (providers: {', '.join(known)})")
    name = rest.strip()
    if not name:
        wanted = "a file" if provider in _FILE_KINDS else "the model's name"
        raise ModelSpecInvalid(f"model {text!r}: {wanted} is missing after {provider + ':'!r}")
    if provider in _FILE_KINDS:
        return ModelSpec(text=text, kind=ModelKind(provider), provider=provider, model=name, path=root / name)
    model, url = _split_url(text, provider, name)
    kind = ModelKind.OPENAI if provider == "openai" else ModelKind.PROVIDER
    return ModelSpec(text=text, kind=kind, provider=provider, model=model, url=url)


def key_from(spec: ModelSpec, environment: Mapping[str, str]) -> str | None:
    """The key for this model from the environment; None when it needs none.

    Raises:
        ModelSpecInvalid: it needs a key and no variable holds one; the message names the variable.
    """
    if spec.url is not None:
        return environment.get(COMPATIBLE_KEY, "").strip() or None
    provider = PROVIDERS[spec.provider]
    found = next((environment[variable] for variable in provider.keys if environment.get(variable)), "").strip()
    if provider.keys and not found:
        names = " or ".join(provider.keys)
        raise ModelSpecInvalid(f"model {spec.text!r} needs a key for {provider.title}: set the variable {names}")
    return found or None


def _split_url(text: str, provider: str, name: str) -> tuple[str, str | None]:
    """Name and URL of `NAME@URL`; the name itself may contain an `@` elsewhere."""
    at = max(name.rfind("@http://"), name.rfind("@https://"))
    if at < 0:
        if provider == "openai" and "@" in name:
            raise ModelSpecInvalid(f"model {text!r}: after '@' write a whole URL, such as @http://127.0.0.1:8000/v1")
        return name, None
    model, url = name[:at].strip(), name[at + 1 :].strip()
    if provider != "openai":
        base = PROVIDERS[provider].base
        other = f"set {base}" if base else "write openai:NAME@URL for a compatible server"
        raise ModelSpecInvalid(f"model '{provider}:{model}@…': only openai: takes a URL; {other}")
    if not model:
        raise ModelSpecInvalid(f"model {text!r}: the model's name is missing before '@'")
    return model, _checked_url(text, model, url)


def _checked_url(text: str, model: str, url: str) -> str:
    try:
        parts = urlsplit(url)
        port_is_right = parts.port is None or parts.port > 0
    except ValueError:
        raise ModelSpecInvalid(f"model {text!r}: {url!r} is no URL; write it like http://127.0.0.1:8000/v1") from None
    if parts.username or parts.password:
        raise ModelSpecInvalid(f"model '{model}@…': a URL must hold no password; put the key into {COMPATIBLE_KEY}")
    if not parts.hostname or not port_is_right:
        raise ModelSpecInvalid(f"model {text!r}: {url!r} names no host; write it like http://127.0.0.1:8000/v1")
    return url
