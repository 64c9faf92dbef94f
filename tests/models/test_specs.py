"""How a model is written, and what is said of one that is written wrong."""

from pathlib import Path

import pytest

from greenroom.errors import ModelSpecInvalid
from greenroom.models.specs import ModelKind, key_from, parse_spec

ROOT = Path("project")


def problem(text: str, environment: dict[str, str] | None = None) -> str:
    with pytest.raises(ModelSpecInvalid) as caught:
        key_from(parse_spec(text, ROOT), environment or {})
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "kind", "provider", "model", "url"),
    [
        ("openai:gpt-6", ModelKind.OPENAI, "openai", "gpt-6", None),
        ("openai:smol@http://127.0.0.1:8000/v1", ModelKind.OPENAI, "openai", "smol", "http://127.0.0.1:8000/v1"),
        ("openai:org/m:free@https://h.example/v1", ModelKind.OPENAI, "openai", "org/m:free", "https://h.example/v1"),
        ("anthropic:claude-sonnet-5", ModelKind.PROVIDER, "anthropic", "claude-sonnet-5", None),
        ("google-cloud:gemini@001", ModelKind.PROVIDER, "google-cloud", "gemini@001", None),
        (" Anthropic: claude-sonnet-5 ", ModelKind.PROVIDER, "anthropic", "claude-sonnet-5", None),
    ],
)
def test_a_model_is_a_provider_and_a_name(
    text: str, kind: ModelKind, provider: str, model: str, url: str | None
) -> None:
    spec = parse_spec(text, ROOT)
    assert (spec.kind, spec.provider, spec.model, spec.url, spec.text) == (kind, provider, model, url, text)


@pytest.mark.parametrize(
    ("text", "kind"), [("script:models/desk.yaml", ModelKind.SCRIPT), ("replay:models/a b.jsonl", ModelKind.REPLAY)]
)
def test_files_stand_under_the_project(text: str, kind: ModelKind) -> None:
    spec = parse_spec(text, ROOT)
    assert spec.kind is kind
    assert spec.path == ROOT / text.partition(":")[2]


def test_an_unknown_provider_is_answered_with_the_nearest_and_all_of_them() -> None:
    assert "did you mean 'anthropic'?" in problem("antropic:claude")
    assert "openai" in problem("zzz:claude")


def test_a_name_without_a_provider_shows_every_form() -> None:
    said = problem("gpt-6")
    assert "`provider:name`" in said
    assert "script:FILE" in said


@pytest.mark.parametrize("text", ["openai:", "script: ", "openai:@http://127.0.0.1/v1"])
def test_a_missing_name_is_said(text: str) -> None:
    assert "missing" in problem(text)


@pytest.mark.parametrize("text", ["openai:m@localhost:8000/v1", "openai:m@http://", "openai:m@http://h:99999/v1"])
def test_a_url_that_is_none_is_answered_with_an_example(text: str) -> None:
    assert "http://127.0.0.1:8000/v1" in problem(text)


def test_a_password_in_a_url_is_refused_without_being_repeated() -> None:
    said = problem("openai:m@https://ada:hunter2@h.example/v1")
    assert "hunter2" not in said
    assert "OPENAI_COMPATIBLE_API_KEY" in said


def test_only_openai_takes_a_url() -> None:
    assert "ANTHROPIC_BASE_URL" in problem("anthropic:m@http://127.0.0.1:1/v1")


@pytest.mark.parametrize(
    ("text", "variable"),
    [
        ("openai:gpt-6", "OPENAI_API_KEY"),
        ("anthropic:claude-sonnet-5", "ANTHROPIC_API_KEY"),
        ("google:gemini-3", "GOOGLE_API_KEY or GEMINI_API_KEY"),
        ("mistral:large", "MISTRAL_API_KEY"),
    ],
)
def test_a_missing_key_names_its_variable(text: str, variable: str) -> None:
    assert variable in problem(text)
    assert variable in problem(text, {variable: "  "})


def test_the_key_of_openai_never_goes_to_another_host() -> None:
    spec = parse_spec("openai:m@http://h.example/v1", ROOT)
    assert key_from(spec, {"OPENAI_API_KEY": "secret"}) is None
    assert key_from(spec, {"OPENAI_COMPATIBLE_API_KEY": "theirs"}) == "theirs"
