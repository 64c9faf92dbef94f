"""One turn while it happens, and the turn and the turn record that it leaves (features.md A2, A9, A12).

Whoever is handed a `TurnInProgress` can see the turn before it is over: an emulator shows each message as it comes, and
a turn that breaks off has not lost what was in it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from greenroom.clock import Clock
from greenroom.conversation.events import Event
from greenroom.conversation.flows import FlowState
from greenroom.conversation.messages import Message
from greenroom.conversation.records import FlowStepped, ModelCall, Route, RouteBy, TurnRecord
from greenroom.conversation.turns import Entry, StopReason, Turn
from greenroom.conversation.usage import Role, Usage
from greenroom.models.model import ChatMessage

__all__ = ["TurnInProgress"]

_UNROUTED = Route(playbook=None, by=RouteBy.NONE)


@dataclass(slots=True)
class TurnInProgress:
    """What has happened so far. Written by the pipeline alone."""

    clock: Clock
    on_message: Callable[[Message], None] | None = None
    """Told of each message when it is shown; it must not raise."""
    index: int = 0
    event: Event | None = None
    prompt: str = ""
    route: Route = _UNROUTED
    offered: tuple[str, ...] = ()
    entries: list[Entry] = field(default_factory=list[Entry])
    model_calls: list[ModelCall] = field(default_factory=list[ModelCall])
    chat: list[ChatMessage] = field(default_factory=list[ChatMessage])
    """What the model reads of the conversation, this turn included."""
    spoke: bool = False
    """The person has seen a message in this turn."""
    ended: StopReason | None = None
    flow: FlowState | None = None
    """Where the conversation stands in a flow."""
    path: list[FlowStepped] = field(default_factory=list[FlowStepped])
    """The steps of it that this turn reached."""
    began: bool = False
    over: bool = False
    started_at: str = ""
    started: float = 0.0
    stood_still_s: float = 0.0
    """For so long a provider's rate limit held the turn back, which is no time of the agent's."""

    def begin(self, index: int, event: Event | None) -> None:
        """The turn starts now."""
        self.began = True
        self.index = index
        self.event = event
        self.started = self.clock.monotonic()
        self.started_at = self.clock.now().isoformat(timespec="milliseconds")

    def add(self, entry: Entry) -> None:
        """Something happened; a message is shown to the person."""
        self.entries.append(entry)
        if isinstance(entry, Message):
            self.spoke = True
            if self.on_message is not None:
                self.on_message(entry)

    def usage(self) -> dict[Role, Usage]:
        """Spent in this turn so far, by role."""
        spent: dict[Role, Usage] = {}
        for call in self.model_calls:
            spent[call.role] = spent[call.role] + call.usage if call.role in spent else call.usage
        return spent

    def turn(self, *, unfinished: bool = False) -> Turn:
        """The turn as it stands."""
        return Turn(
            index=self.index,
            event=self.event,
            entries=tuple(self.entries),
            playbook=self.route.playbook,
            ended=self.ended,
            unfinished=unfinished,
            duration_s=self._taken(),
        )

    def record(self) -> TurnRecord:
        """The turn record as it stands."""
        return TurnRecord(
            turn=self.index,
            prompt=self.prompt,
            route=self.route,
            offered=self.offered,
            model_calls=tuple(self.model_calls),
            entries=tuple(self.entries),
            flow=tuple(self.path),
            started_at=self.started_at,
            duration_s=self._taken(),
        )

    def _taken(self) -> float:
        return max(0.0, self.clock.monotonic() - self.started - self.stood_still_s)
