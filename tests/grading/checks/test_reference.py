"""The reference page of the checks."""

import re
from pathlib import Path

from greenroom.conversation.effects import EffectKind
from greenroom.conversation.messages import Shape
from greenroom.documents.checks import CHECKS
from greenroom.documents.loading import load_document
from greenroom.documents.steps import AgentStep, CalledStep, EffectStep, PersonStep, StepCall, StepEffect
from greenroom.documents.suite import Suite

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "checks.md").read_text("utf-8")


def test_the_reference_has_a_section_for_every_word_and_no_other() -> None:
    assert sorted(re.findall(r"^### `(\w+)`$", PAGE, re.MULTILINE)) == sorted(written.word for written in CHECKS)


def test_the_reference_names_every_key_shape_and_kind() -> None:
    models = (*CHECKS, StepCall, StepEffect, CalledStep, EffectStep, AgentStep, PersonStep)
    keys = {field.alias or name for written in models for name, field in written.model_fields.items()}
    inner = {
        "text",
        "value",
        "not_shape",
        "reason",
        "who",
        "fields",
        "values",
        "steps",
        "holds",
    }  # written without their own name
    for word in {*(keys - inner), *Shape, *EffectKind}:
        assert re.search(rf"\b{word}\b", PAGE), word


def test_the_examples_of_the_reference_are_cases() -> None:
    for example in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL):
        script = "" if "script:" in example else "    script: [Hello]\n"
        indented = "".join(f"    {line}\n" for line in example.splitlines())
        suite = load_document(f"suite: s\ncases:\n  c:\n{script}{indented}")
        assert isinstance(suite, Suite)
        assert len(suite.cases["c"].expect) == 3
