"""`run_case`: one conversation from its first event to its verdict, as a plain async function of values.

It knows an agent session, a world, a person and a judge. It knows no database, quota, engine, screen or registry;
those wrap it (features.md A, B9–B10, D4, E6).
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from greenroom.agents.sessions import AgentSession, Start
from greenroom.clock import Clock
from greenroom.conversation.appointments import Appointment, upcoming
from greenroom.conversation.events import MissedTap
from greenroom.conversation.outcomes import Badge, CaseError, Cause, PlannedSample, SampleKey, SampleResult, Status
from greenroom.conversation.own_messages import OwnMessage
from greenroom.conversation.people import Person, rendered_person
from greenroom.conversation.records import TurnRecord
from greenroom.conversation.turns import StopReason, Turn
from greenroom.conversation.usage import Role, Usage, add_usage, total_usage
from greenroom.conversation.world_state import WorldSeen, WorldState
from greenroom.documents.project import Limits
from greenroom.documents.suite import Case, GivenPerson
from greenroom.errors import CaseFault, GreenroomError, PatternTimeout
from greenroom.grading.evidence import Evidence, TurnSeen
from greenroom.grading.expectations import lines_that_look, looks_at_the_world
from greenroom.grading.grade import Graded, grade
from greenroom.models.metering import case_units
from greenroom.models.model import Model
from greenroom.models.time_limits import TimeLimit, Waits
from greenroom.personas.history import given_steps, wants_next_reply
from greenroom.personas.persons import Persona, Stops
from greenroom.world.ports import GradedWorld

__all__ = ["CaseRun", "Cast", "conversation_id", "identity_of", "limits_of", "run_case"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRun:
    """What one sample left: its result, and its turn records, which the judge never sees."""

    result: SampleResult
    records: tuple[TurnRecord, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """Everybody who takes part in one sample, made for it alone."""

    agent: AgentSession
    world: GradedWorld
    persona: Persona
    judge: Model | None
    """None only for a case without criteria."""
    opening: OwnMessage | None = None
    """What the agent begins with by itself."""
    began: str = ""
    """When it begins by the agent's clock, spelled out, for the judge."""
    part: str = ""
    """What a simulated person was told of its part, for the judge; empty when nobody is simulated."""
    waits: Waits | None = None
    """Who is held back by rate limits: the limits on time stand still meanwhile."""


@dataclass(slots=True, kw_only=True)
class _Talk:
    """A conversation while it goes on."""

    identity: str
    turns: list[Turn] = field(default_factory=list[Turn])
    tokens: dict[int, int] = field(default_factory=dict[int, int])
    unreported: dict[int, int] = field(default_factory=dict[int, int])
    lines: dict[int, int] = field(default_factory=dict[int, int])
    stopped: StopReason | None = None
    error: CaseError | None = None
    person_seen: str = ""
    before: WorldState | None = None
    """What the world held when the conversation began, when a check wants to know."""
    turn_began: WorldState | None = None
    """The same of the turn that is under way."""
    missed: MissedTap | None = None
    """What the person would have tapped in it."""
    seen_of: dict[int, TurnSeen] = field(default_factory=dict[int, TurnSeen])

    def took(self, turn: Turn, used: Mapping[Role, Usage]) -> None:
        """Keep a turn, with what the agent has used since the last one."""
        total = total_usage(used)
        self.tokens[turn.index] = total.tokens - sum(self.tokens.values())
        self.unreported[turn.index] = total.unreported - total.unsplit_calls - sum(self.unreported.values())
        self.turns.append(turn if self.missed is None else replace(turn, missed=self.missed))
        self.missed = None

    def broke_off(self, cause: Cause, message: str, stopped: StopReason) -> None:
        self.error = CaseError(cause=cause, message=message)
        self.stopped = stopped


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """What is persisted of the person."""

    person: Person | None = None
    appointments: tuple[Appointment, ...] = ()


def limits_of(case: Case, limits: Limits) -> Limits:
    """The project's limits with those that the case sets for itself."""
    own = {name: value for name, value in case.limits if value is not None}
    return limits.model_copy(update=own) if own else limits


async def run_case(case: Case, cast: Cast, *, limits: Limits, clock: Clock, planned: PlannedSample) -> CaseRun:
    """Play the case and grade it. Never raises for what agent, endpoint, model or judge did: that is in the result.

    Cancellation passes through, after the session and the world have been closed. `limits` are the case's own
    (`limits_of`); the clock measures durations.
    """
    started = clock.monotonic()
    talk = _Talk(identity=identity_of(planned.key))
    start = Start(
        conversation=conversation_id(planned.key),
        channel=case.channel,
        identity=talk.identity,
        playbook=case.playbook,
        history=given_steps(case.history),
        opening=cast.opening,
    )
    try:
        await _converse(talk, case, cast, limits, start=start, clock=clock)
        errands = await cast.world.leave()
        spent = add_usage(cast.agent.usage, cast.persona.usage)
        evidence = await _evidence(talk, case, cast, start)
        graded = await _graded(case, evidence, cast.judge, talk.error, start.conversation)
        usage = add_usage(spent, graded.usage)
        units = _units(usage, broke_off=graded.error is not None)
        error = graded.error or _over_units(units, usage, limits)
        result = SampleResult(
            key=planned.key,
            status=graded.status if error is None else Status.ERRORED,
            badges=(*graded.badges, *((Badge.LIVE_TEST,) if case.world.live_test else ())),
            score=graded.score,
            stopped=evidence.stopped,
            error=error,
            duration_s=clock.monotonic() - started,
            units=units,
            usage=usage,
            checks=graded.checks,
            criteria=graded.criteria,
            history=evidence.history,
            turns=evidence.turns,
            errands=tuple(errands),
            forbidden=graded.forbidden,
            judge=graded.record,
            case_hash=planned.case_hash,
        )
        return CaseRun(result=result, records=cast.agent.records)
    finally:
        await cast.agent.close()
        await cast.world.close()


def _units(usage: Mapping[Role, Usage], *, broke_off: bool) -> int:
    """What a sample costs; nothing when it broke off before any model had answered (features.md F4, F5)."""
    total = total_usage(usage)
    return case_units(usage) if total.tokens or total.unreported or not broke_off else 0


def conversation_id(key: SampleKey) -> str:
    """The conversation's id: every sample has its own (C12)."""
    return f"{key.suite}/{key.case}/{key.sample}/{key.attempt}"


def identity_of(key: SampleKey) -> str:
    """What the sandbox's channel knows this sample's person by."""
    return f"sandbox:{conversation_id(key)}"


async def _converse(talk: _Talk, case: Case, cast: Cast, limits: Limits, *, start: Start, clock: Clock) -> None:
    """Fill `talk` until somebody stops, a limit is reached or something breaks."""
    minutes = limits.run_minutes
    limit = TimeLimit(minutes * 60, clock, cast.waits, start.conversation)
    try:
        async with limit:
            talk.before = await cast.world.state() if looks_at_the_world(case) else None
            talk.took(await cast.agent.open(start), cast.agent.usage)
            person = await cast.world.people.find(start.identity)
            if person is not None:
                coming = upcoming(await _appointments(cast, person), cast.world.clock.now())
                talk.person_seen = rendered_person(person, coming)
            await _turns(talk, case, cast, limits)
    except CaseFault as fault:
        talk.broke_off(Cause(fault.cause), fault.message, StopReason(fault.stopped))
    except PatternTimeout as fault:
        # Whoever wrote the pattern has to mend it: it stands in a mock's condition or in a model's script (C12).
        message = f"What the test prepared could not be decided: {fault}"
        talk.broke_off(Cause.TEST, message, StopReason.TEST_ERROR)
    except GreenroomError as fault:
        talk.broke_off(Cause.PLATFORM, str(fault), StopReason.PLATFORM_ERROR)
    # The edge of a case: a fault of our own must cost this case only, and be named as the platform's.
    except Exception as fault:  # noqa: BLE001
        if limit.expired() and isinstance(fault, TimeoutError):
            why = f"The run was still going after {minutes:g} min (`run_minutes`), so there is no verdict."
            talk.broke_off(Cause.LIMIT, why, StopReason.RUN_TIMEOUT)
        else:
            talk.broke_off(Cause.PLATFORM, _described(fault), StopReason.PLATFORM_ERROR)
    if talk.error is not None and (broken := cast.agent.broken_turn) is not None:
        talk.took(broken, cast.agent.usage)
        # What broke the conversation may be what keeps the world.
        with suppress(GreenroomError):
            await _looked(talk, cast, broken)


async def _turns(talk: _Talk, case: Case, cast: Cast, limits: Limits) -> None:
    if wants_next_reply(case):
        talk.took(await cast.agent.reply_to_history(), cast.agent.usage)
        _within_units(cast, limits)
        talk.stopped = talk.turns[-1].ended or StopReason.SCRIPT_END
        return
    person_last = bool(case.history) and isinstance(case.history[-1], GivenPerson)
    if case.simulate is not None and person_last and cast.opening is None:
        # The person spoke last: whoever plays it waits for the answer, as people do (S07).
        talk.took(await cast.agent.reply_to_history(), cast.agent.usage)
        _within_units(cast, limits)
        talk.stopped = talk.turns[-1].ended
    looking = lines_that_look(case)
    while talk.stopped is None:
        step = await cast.persona.next(talk.turns)
        if isinstance(step, Stops):
            talk.stopped = step.reason
            return
        if sum(turn.index > 0 and turn.event is not None for turn in talk.turns) >= limits.turns_max:
            talk.stopped = StopReason.MAX_TURNS
            return
        if step.line is not None:
            talk.lines[step.line] = len(talk.turns)
        talk.turn_began = await cast.world.state() if step.line in looking else None
        talk.missed = step.missed
        turn = await cast.agent.send(step.event)
        talk.took(turn, cast.agent.usage)
        await _looked(talk, cast, turn)
        talk.stopped = turn.ended
        _within_units(cast, limits)


async def _looked(talk: _Talk, cast: Cast, turn: Turn) -> None:
    """Keep what the turn did to the world, if a check under its line wants to know."""
    if talk.turn_began is not None:
        before, talk.turn_began = talk.turn_began, None
        kept = await _kept(talk, cast)
        world = WorldSeen(before=before, after=await cast.world.state())
        talk.seen_of[turn.index] = TurnSeen(world=world, person=kept.person, appointments=kept.appointments)


def _within_units(cast: Cast, limits: Limits) -> None:
    """A conversation that is over its units ends; what the judge spends on it counts once it is graded (F6).

    What a provider doesn't report can't be bounded so: the bound goes by what is known (docs/guides/models.md).
    """
    used = add_usage(cast.agent.usage, cast.persona.usage)
    over = _over_units(case_units(used), used, limits)
    if over is not None:
        raise CaseFault(over.cause, over.message, stopped=StopReason.UNIT_LIMIT)


def _over_units(units: int, used: Mapping[Role, Usage], limits: Limits) -> CaseError | None:
    if units <= limits.case_units:
        return None
    least = "at least " if total_usage(used).unreported else ""
    message = f"The case has used {least}{units} units and may use {limits.case_units} (`case_units`)."
    return CaseError(cause=Cause.LIMIT, message=message)


async def _appointments(cast: Cast, person: Person | None) -> Sequence[Appointment]:
    """The person's, as persisted now."""
    return () if person is None else await cast.world.scheduling.of_person(person.person_id)


async def _kept(talk: _Talk, cast: Cast) -> _Kept:
    """Whom the conversation's identity is bound to now, and their appointments."""
    person = await cast.world.people.find(talk.identity)
    return _Kept(person=person, appointments=tuple(await _appointments(cast, person)))


async def _at_the_end(talk: _Talk, cast: Cast) -> tuple[_Kept, WorldSeen | None]:
    """What is persisted when the conversation is over; a store that fails then breaks it off."""
    try:
        kept = await _kept(talk, cast)
        return kept, None if talk.before is None else WorldSeen(before=talk.before, after=await cast.world.state())
    except GreenroomError as fault:
        if talk.error is None:
            talk.broke_off(Cause.PLATFORM, str(fault), StopReason.PLATFORM_ERROR)
        return _Kept(), None


async def _evidence(talk: _Talk, case: Case, cast: Cast, start: Start) -> Evidence:
    facts = cast.agent.facts
    kept, world = await _at_the_end(talk, cast)
    return Evidence(
        channel=case.channel,
        turns=tuple(talk.turns),
        stopped=talk.stopped or StopReason.PLATFORM_ERROR,
        history=start.history,
        lines=talk.lines,
        tokens=talk.tokens,
        unreported=talk.unreported,
        person=kept.person,
        appointments=kept.appointments,
        world=world,
        seen_of=talk.seen_of,
        person_seen=talk.person_seen,
        began=cast.began,
        scenario=case.description or case.name or case.id,
        part=cast.part,
        tools=facts.tools,
        playbooks=facts.playbooks,
        forms=facts.forms,
        digest=facts.digest,
        spelling=facts.spelling,
    )


async def _graded(
    case: Case, evidence: Evidence, judge: Model | None, error: CaseError | None, conversation: str
) -> Graded:
    try:
        return await grade(case, evidence, judge=judge, error=error, conversation=conversation)
    # The edge of a case, as above: without the judge the checks are still decided and shown.
    except Exception as fault:  # noqa: BLE001
        broken = CaseError(cause=Cause.PLATFORM, message=_described(fault))
        return await grade(case, evidence, judge=None, error=error or broken, conversation=conversation)


def _described(fault: Exception) -> str:
    """What broke, in a line: in its own words, or the kind of fault and where it was raised."""
    if isinstance(fault, GreenroomError):
        return str(fault)
    trace = fault.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f" in {trace.tb_frame.f_globals.get('__name__', '?')}, line {trace.tb_lineno}" if trace else ""
    return f"Greenroom itself failed: {type(fault).__name__}: {fault}{where}"
