"""`script:FILE`: a model that follows a file of rules, for offline demos and tests (docs/guides/script-models.md).

It plays agent, router, simulated person, judge and author alike. Faults go through the retries of real models.
"""

import asyncio
import json
from dataclasses import replace

from greenroom.clock import Clock
from greenroom.conversation.usage import Role, Usage
from greenroom.errors import GreenroomError, ModelMalformed, ModelRejected, ScriptAtFault
from greenroom.models.asking import Manner, asked
from greenroom.models.model import Finish, ModelAnswer, ModelRequest
from greenroom.models.refusals import read_refusal
from greenroom.models.retries import PassingFault
from greenroom.models.script_answers import Unfilled, answer_by, estimated
from greenroom.models.script_document import Fault, FaultKind, Rule, Script
from greenroom.models.script_reading import ScriptFile
from greenroom.models.script_rules import RuleBook, last_said, newest_answers, turns_said

__all__ = ["ScriptedModel"]

_SHOWN = 120
_REMEMBERED = 1000
"""Conversations that go on by the rules they began with."""
_ANSWERS = {
    Role.AGENT: "reply: …",
    Role.ROUTER: "reply: …  # a playbook's id, or stay",
    Role.SIMULATOR: "say: …",
    Role.JUDGE: "verdicts: pass",
    Role.AUTHOR: "output: …",
}
"""What a rule has for each role."""
_REFUSED_BODIES = {
    FaultKind.RATE_LIMIT: (429, b'{"error": {"code": "rate_limit_exceeded", "message": "slow down"}}'),
    FaultKind.SERVER_ERROR: (500, b'{"error": {"message": "the server had an error"}}'),
    FaultKind.QUOTA: (429, b'{"error": {"code": "insufficient_quota", "message": "the quota is used up"}}'),
    FaultKind.REJECTED: (400, b'{"error": {"code": "invalid_request", "message": "the request is not accepted"}}'),
    FaultKind.CONTEXT_OVERFLOW: (400, b'{"error": {"code": "context_length_exceeded"}}'),
}


class ScriptedModel:
    """A model that answers by the first rule that fits."""

    def __init__(
        self, *, name: str, file: str, script: Script, manner: Manner, clock: Clock, follows: ScriptFile | None = None
    ) -> None:
        """`follows`: a conversation that begins after the file was edited is answered by what it says then."""
        self._name = name
        self._file = file
        self._rules = RuleBook(script.rules)
        self._follows = follows
        self._began: dict[str, RuleBook] = {}
        self._reading = asyncio.Lock()
        self._manner = manner
        self._clock = clock

    @property
    def name(self) -> str:
        """The model as it was written."""
        return self._name

    @property
    def scripted(self) -> bool:
        """Every report says so."""
        return True

    async def ask(self, request: ModelRequest) -> ModelAnswer:
        """The answer of the first rule that fits; see `Model`.

        Raises:
            ScriptAtFault: no rule fits, and the message shows what was asked and how to add one; or the one that fits
                can't be filled in, or the file was edited and can't be read.
        """
        request = self._manner.applied(request)
        rules = await self._rules_of(request.conversation)
        found = await rules.fitting(request)
        if found is None:
            raise ScriptAtFault(self._name, self._nothing_fits(request))
        number, rule = found
        try:
            answer = await answer_by(rule, request, self._name)
        except Unfilled as problem:
            raise ScriptAtFault(self._name, f"rule {number} of {self._file}: {problem}") from None
        answer = replace(answer, said_by=f"rule {number} of {self._file}")

        async def attempt(count: int) -> ModelAnswer:
            return await self._attempt(rule, request, answer, count)

        return await asked(self._name, self._clock, self._manner.policy, attempt)

    async def _rules_of(self, conversation: str) -> RuleBook:
        """The rules that stood in the file when the conversation began."""
        if self._follows is None:
            return self._rules
        async with self._reading:
            rules = self._began.get(conversation)
            if rules is None:
                await self._read_again(self._follows)
                if len(self._began) >= _REMEMBERED:
                    del self._began[next(iter(self._began))]
                rules = self._began[conversation] = self._rules
        return rules

    async def _read_again(self, file: ScriptFile) -> None:
        try:
            edited = await asyncio.to_thread(file.edited)
        except GreenroomError as fault:
            raise ScriptAtFault(self._name, f"the script was edited and can't be read\n{fault}") from fault
        if edited is not None:
            self._rules = RuleBook(edited.rules)

    async def _attempt(self, rule: Rule, request: ModelRequest, answer: ModelAnswer, count: int) -> ModelAnswer:
        if rule.delay:
            await self._clock.sleep(rule.delay)
        fault = rule.fault
        if fault is None or (fault.times is not None and count > fault.times):
            return answer
        if fault.kind is FaultKind.REFUSAL:
            text = rule.reply or "I can't help with that."
            return ModelAnswer(text=text, usage=estimated(request, text, ()), finish=Finish.REFUSAL, model=self._name)
        if fault.kind is FaultKind.EMPTY:
            return ModelAnswer(text="", usage=Usage(input_tokens=answer.usage.input_tokens, calls=1), model=self._name)
        raise self._broken(fault)

    def _broken(self, fault: Fault) -> Exception:
        """The same exception that a real model's client meets."""
        if fault.kind is FaultKind.TIMEOUT:
            return TimeoutError()
        if fault.kind is FaultKind.CONNECTION:
            return PassingFault(f"the connection to {self._name} broke off", retry_after=fault.retry_after)
        if fault.kind is FaultKind.TRUNCATED:
            return PassingFault(f"{self._name} answered, but its stream broke off in the middle")
        if fault.kind is FaultKind.MALFORMED:
            return PassingFault(f"{self._name} answered, but its answer is no JSON", becomes=ModelMalformed)
        status, body = _REFUSED_BODIES[fault.kind]
        headers = {} if fault.retry_after is None else {"retry-after": str(fault.retry_after)}
        refusal = read_refusal(status, headers, body, where=self._name, key_variable="", now=self._clock.now())
        if refusal.passing:
            return PassingFault(refusal.why, retry_after=refusal.retry_after, limits=refusal.limits)
        return ModelRejected(self._name, refusal.why)

    def _nothing_fits(self, request: ModelRequest) -> str:
        """What was asked, and the rule that would answer it."""
        last = " ".join(last_said(request).split())
        shown = last if len(last) <= _SHOWN else last[:_SHOWN] + "…"
        tools = [answer.tool for answer in newest_answers(request)]
        answered = f", answered by {', '.join(tools)}" if tools else ""
        conditions = f"role: {request.role}"
        if tools:
            conditions += f", answered: {tools[-1]}"
        elif last and request.role is not Role.JUDGE:
            conditions += f", last: {json.dumps(last[:40], ensure_ascii=False)}"
        return (
            f"no rule of {self._file} fits a request to the {request.role} in turn {turns_said(request)}{answered}, "
            f"whose newest words are {shown!r}\n"
            "Add a rule such as\n"
            f"  - when: {{{conditions}}}\n"
            f"    {_ANSWERS[request.role]}"
        )
