"""The form of each document, put together once."""

from collections.abc import Callable, Mapping
from datetime import date
from types import MappingProxyType
from typing import Literal

from greenroom.conversation.messages import Part
from greenroom.documents.agent import Agent, ExampleReply, KnowledgeEntry, Thing, Tool
from greenroom.documents.agent_forms import (
    KnowledgeForm,
    MethodForm,
    SchemaForm,
    ThingForm,
    fixture_fits,
    mock_fits,
    tool_fits,
)
from greenroom.documents.agent_rules import agent_fits
from greenroom.documents.case_forms import (
    ExpectationForm,
    HistoryForm,
    PersonForm,
    ReplyForm,
    ScriptLineForm,
    appointment_fits,
    budget_fits,
    counts_fit,
)
from greenroom.documents.checks import CHECKS, AppointmentIs, Called, EffectIs, Expectation, Max, Reply, StateIs
from greenroom.documents.customer import Customer
from greenroom.documents.flow import STEPS, FlowOption, FlowStep, OptionsFrom, Spoken
from greenroom.documents.flow_forms import FlowForm, OptionsForm, SpokenForm
from greenroom.documents.forms import DurationForm, Form, ListForm
from greenroom.documents.mail import MailSettings
from greenroom.documents.mail_forms import mail_fits
from greenroom.documents.matcher_forms import MatcherForm
from greenroom.documents.message_forms import ExampleReplyForm, PartsForm
from greenroom.documents.mocks import HttpFixture, Mock, OwnMock
from greenroom.documents.model_forms import Check, Forms, ModelForm
from greenroom.documents.outreach import SendingHours
from greenroom.documents.outreach_forms import PreparedForm, SendingHoursForm
from greenroom.documents.parts import Doc, Meant
from greenroom.documents.prepared import PreparedMessage
from greenroom.documents.project import Project
from greenroom.documents.scheduling import (
    BusyTime,
    CaseAppointment,
    ExternalCalendar,
    WeeklyHours,
    WhichCalendar,
)
from greenroom.documents.scheduling_forms import CalendarForm, DateForm, HoursForm, calendar_fits, time_fits
from greenroom.documents.simulation import Brief, Detail
from greenroom.documents.simulation_forms import DetailsForm, brief_fits
from greenroom.documents.sizes import CHOICES
from greenroom.documents.state_forms import StateForm
from greenroom.documents.step_forms import StepForm
from greenroom.documents.steps import AgentStep, CalledStep, EffectStep, PersonStep, Step
from greenroom.documents.suite import (
    Case,
    GivenAgent,
    GivenPerson,
    GivenStep,
    PersonStart,
    Say,
    ScriptLine,
    Suite,
    TapLine,
)
from greenroom.documents.suite_forms import SuiteForm, case_fits

__all__ = ["AGENT", "CUSTOMER", "PROJECT", "SUITE"]

_MARKS: Mapping[object, Form] = {
    Meant.MATCHER: MatcherForm(),
    Meant.TEXT_MATCHER: MatcherForm(text=True),
    Meant.PARAMETER_MATCHER: MatcherForm(parameters=True),
    Meant.MOMENT_MATCHER: MatcherForm(moments=True),
    Meant.SCHEMA: SchemaForm(),
    Meant.HTTP_METHOD: MethodForm(),
    Meant.DURATION: DurationForm(),
    WeeklyHours: HoursForm(),
    SendingHours: SendingHoursForm(HoursForm()),
    date: DateForm(),
    tuple[Detail, ...]: DetailsForm(),
}
_CHECKS: Mapping[type[Doc], Check] = {
    Called: counts_fit,
    EffectIs: counts_fit,
    AppointmentIs: appointment_fits,
    Max: budget_fits,
    Tool: tool_fits,
    OwnMock: mock_fits,
    Mock: mock_fits,
    HttpFixture: fixture_fits,
    Case: case_fits,
    Agent: agent_fits,
    Brief: brief_fits,
    ExternalCalendar: calendar_fits,
    MailSettings: mail_fits,
    CaseAppointment: time_fits,
    BusyTime: time_fits,
}
_SET_BY_THE_READER: Mapping[type[Doc], frozenset[str]] = {
    Say: frozenset({"is_template"}),
    TapLine: frozenset({"expect", "is_template"}),
    GivenPerson: frozenset({"is_template"}),
    GivenAgent: frozenset({"is_template"}),
    Case: frozenset({"id", "suite"}),
    Suite: frozenset({"cases"}),
}


def _forms_of_everything() -> Forms:
    def forms(special: Mapping[object, Form]) -> Forms:
        return Forms(special, _CHECKS, _SET_BY_THE_READER)

    special: dict[object, Form] = {**_MARKS, tuple[Part, ...]: PartsForm(), Thing: ThingForm()}
    special[PreparedMessage] = PreparedForm(PartsForm())
    special[ExampleReply] = ExampleReplyForm(PartsForm())
    special[KnowledgeEntry] = KnowledgeForm(forms(special).of_model(KnowledgeEntry))
    special[WhichCalendar] = CalendarForm(forms(special).of_model(ExternalCalendar))
    special.update(_forms_of_flows(forms, special))
    special[Step] = StepForm({
        next(iter(step.model_fields)): forms(special).of_model(step)
        for step in (CalledStep, EffectStep, AgentStep, PersonStep)
    })
    of_their_own: dict[str, Form] = {Reply.word: ReplyForm(), StateIs.word: StateForm()}
    words: dict[str, Form] = {
        check.word: of_their_own.get(check.word) or forms(special).of_model(check) for check in CHECKS
    }
    special[Expectation] = ExpectationForm(words)
    plain = forms(special)
    special[ScriptLine] = ScriptLineForm(plain.of_model(Say), plain.of_model(TapLine), ListForm(special[Expectation]))
    special[GivenStep] = HistoryForm(plain.of_model(GivenPerson), plain.of_model(GivenAgent))
    special[PersonStart | Literal["visitor"] | None] = PersonForm(plain.of_model(PersonStart))
    return forms(MappingProxyType(special))


def _forms_of_flows(
    forms: Callable[[Mapping[object, Form]], Forms], special: Mapping[object, Form]
) -> dict[object, Form]:
    """Steps hold steps: the form of a flow is there before the forms of its steps are."""
    kinds: dict[str, ModelForm] = {}
    plain = forms(special)
    listed = ListForm(plain.of_model(FlowOption), least=1, most=CHOICES)
    found: dict[object, Form] = {
        tuple[FlowStep, ...]: FlowForm(kinds),
        Spoken: SpokenForm(PartsForm()),
        tuple[FlowOption, ...] | OptionsFrom | None: OptionsForm(listed, plain.of_model(OptionsFrom)),
    }
    steps = forms({**special, **found})
    kinds.update({word: steps.of_model(kind) for word, kind in STEPS.items()})
    return found


_FORMS = _forms_of_everything()

PROJECT = _FORMS.of_model(Project)
AGENT = _FORMS.of_model(Agent)
SUITE = SuiteForm(_FORMS.of_model(Suite), _FORMS.of_model(Case))
CUSTOMER = _FORMS.of_model(Customer)
