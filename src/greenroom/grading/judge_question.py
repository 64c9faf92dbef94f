"""What the judge sees (features.md E2–E5; semantics: the judge).

One question for all criteria of a case. The instruction is the versioned text in `prompts`; everything that anybody
else wrote stands inside fences. Turn records, composed prompts and reasoning can't be reached from here.
"""

import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from greenroom.conversation.fences import Quoted, fenced
from greenroom.conversation.json_values import Json
from greenroom.conversation.transcript import HOW_TO_READ, CallsShown, render_transcript
from greenroom.conversation.visible import visible
from greenroom.documents.checks import Called, Criterion, Says, Scored, Sees
from greenroom.documents.suite import Case
from greenroom.grading.checks.calls import action_names
from greenroom.grading.checks.counts import Bounds
from greenroom.grading.checks.scope import Scope
from greenroom.grading.checks.written import flow
from greenroom.grading.evidence import Evidence
from greenroom.grading.expectations import Expected, expected_of, is_criterion

__all__ = ["PROMPT_VERSION", "SYSTEM", "AskedCriterion", "answer_schema", "asked_criteria", "question_for"]

PROMPT_VERSION = "judge-1"
"""The judge's instruction; a text that is changed gets a new number (features.md E5, K12)."""

_NAME_WORDS = 6


def _instruction() -> str:
    text = pkgutil.get_data(__package__ or "greenroom.grading", f"prompts/{PROMPT_VERSION}.md")
    return (text or b"").decode("utf-8")


SYSTEM = f"{_instruction()}\n{HOW_TO_READ}"
"""The same for every case, so that a provider can cache it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedCriterion:
    """One criterion of a case, and where it stands."""

    criterion: Criterion
    expected: Expected

    @property
    def name(self) -> str:
        """Its own, or the first words of its text."""
        if isinstance(self.criterion, Says):
            return "says"
        if self.criterion.name:
            return self.criterion.name
        words = self.criterion.text.split()
        return " ".join(words[:_NAME_WORDS]) + ("…" if len(words) > _NAME_WORDS else "")

    @property
    def at_least(self) -> int | None:
        """What a scored criterion's score has to reach."""
        return self.criterion.at_least if isinstance(self.criterion, Scored) else None

    @property
    def turn(self) -> int | None:
        """The turn it looks at, when it stands under a script line."""
        return None if self.expected.turn is None else self.expected.turn.index

    @property
    def sees_calls(self) -> bool:
        """Tool answers count for it."""
        return not isinstance(self.criterion, Says) and self.criterion.sees is Sees.CALLS

    def on_one_line(self) -> str:
        """As the judge reads it: `name: text` and, in brackets, what is special about it."""
        if isinstance(self.criterion, Says):
            head = "says: "
        else:
            head = f"{self.criterion.name}: " if self.criterion.name else ""
        marks = [
            *(() if self.at_least is None else (f"[scored, passes at {self.at_least}]",)),
            *(() if self.turn is None else (f"[turn {self.turn} only]",)),
            *(("[tool answers count]",) if self.sees_calls else ()),
        ]
        return " ".join([*visible(f"{head}{self.criterion.text}").split(), *marks])


def asked_criteria(case: Case, evidence: Evidence) -> tuple[AskedCriterion, ...]:
    """Every criterion of the case: its own in order, then each script line's."""
    return tuple(
        AskedCriterion(criterion=each.entry, expected=each)
        for each in expected_of(case, evidence)
        if is_criterion(each.entry)
    )


def question_for(case: Case, evidence: Evidence, asked: Sequence[AskedCriterion]) -> str:
    """The one question: quoted material first, what is the same for many cases before the rest; then the criteria."""
    criteria = "\n".join(f"{number}. {each.on_one_line()}" for number, each in enumerate(asked, start=1))
    quotes = [
        Quoted(title="What the agent is supposed to do:", text=evidence.digest),
        *_examples(case),
        Quoted(title="The scenario, as background:", text=evidence.scenario),
        Quoted(
            title="The person was simulated: a model played it, and was given this part. Grade only the agent:",
            text=evidence.part,
        ),
        Quoted(title="What the agent was told of the person:", text=evidence.person_seen),
        Quoted(title="When the conversation began, by the agent's clock:", text=evidence.began),
        *_actions(case, evidence, asked),
        Quoted(title="The transcript:", text=_transcript(evidence, asked)),
        *_turns(asked),
    ]
    fences = fenced([quote for quote in quotes if quote.text], outside=criteria)
    count = "one verdict" if len(asked) == 1 else f"{len(asked)} verdicts, in this order"
    return "\n\n".join((*fences, f"The criteria:\n{criteria}", f"Answer with exactly {count}."))


def answer_schema(asked: Sequence[AskedCriterion]) -> Mapping[str, Json]:
    """JSON Schema of the answer. The reason comes before the verdict, so that it is thought of first."""
    properties: dict[str, Json] = {
        "reason": {"type": "string"},
        "verdict": {"type": "string", "enum": ["pass", "fail", "unknown"]},
        "line": {
            "anyOf": [
                {"const": "", "type": "string", "description": "The verdict rests on something that is absent."},
                {"type": "string", "description": "The agent's line, copied word for word."},
            ]
        },
    }
    if any(each.at_least is not None for each in asked):
        properties["score"] = {"anyOf": [{"type": "integer", "minimum": 0, "maximum": 100}, {"type": "null"}]}
    verdict: dict[str, Json] = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"verdicts": {"type": "array", "items": verdict, "minItems": len(asked), "maxItems": len(asked)}},
        "required": ["verdicts"],
        "additionalProperties": False,
    }


def _examples(case: Case) -> list[Quoted]:
    return [
        Quoted(title=f"An example that {word}, to calibrate by:", text=text)
        for word, texts in (("passes", case.examples.success), ("fails", case.examples.failure))
        for text in texts
    ]


def _actions(case: Case, evidence: Evidence, asked: Sequence[AskedCriterion]) -> list[Quoted]:
    """Page B's form: the actions that were called and those that had to be, for scored criteria only."""
    if all(each.at_least is None for each in asked):
        return []
    called = action_names(Scope(evidence=evidence, turns=evidence.turns))
    required = dict.fromkeys(
        each.entry.tool
        for each in expected_of(case, evidence)
        if isinstance(each.entry, Called) and Bounds.of(each.entry).low > 0
    )
    return [
        Quoted(title="Actions the agent called:", text="\n".join(map(flow, called)) or "none"),
        Quoted(title="Actions the agent had to call:", text="\n".join(map(flow, required)) or "none"),
    ]


def _transcript(evidence: Evidence, asked: Sequence[AskedCriterion]) -> str:
    return render_transcript(evidence.turns, history=evidence.history, calls=_calls_shown(asked))


def _turns(asked: Sequence[AskedCriterion]) -> list[Quoted]:
    turns = {each.expected.turn.index: each.expected.turn for each in asked if each.expected.turn is not None}
    return [
        Quoted(title=f"Turn {index} by itself:", text=render_transcript((turn,), calls=_calls_shown(asked)))
        for index, turn in turns.items()
    ]


def _calls_shown(asked: Sequence[AskedCriterion]) -> CallsShown:
    return CallsShown.ALL if any(each.sees_calls for each in asked) else CallsShown.UNANSWERED
