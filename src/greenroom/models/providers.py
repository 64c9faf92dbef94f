"""Every other provider, by pydantic-ai's model classes through its direct request.

Imported only when such a model is named, since pydantic-ai takes a second to load. Maps our request and answer both
ways; retries and time limits are ours, so that a provider's own are switched off.
"""

from collections.abc import Mapping
from inspect import signature
from typing import Any, Final, Literal

from pydantic_ai import exceptions as ai
from pydantic_ai import messages as parts
from pydantic_ai.direct import model_request
from pydantic_ai.models import Model as ProvidersModel
from pydantic_ai.models import ModelRequestParameters, infer_model
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.providers import Provider as ProvidersClient
from pydantic_ai.providers import infer_provider_class
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.usage import RequestUsage

from greenroom.clock import Clock
from greenroom.conversation.json_values import Json
from greenroom.conversation.usage import Usage
from greenroom.errors import ModelMalformed, ModelRejected, ModelSpecInvalid
from greenroom.models.asking import Manner, asked
from greenroom.models.json_text import as_object, encoded, read_arguments, sendable
from greenroom.models.model import (
    AgentSays,
    ChatMessage,
    Finish,
    ModelAnswer,
    ModelRequest,
    RequestedCall,
    ToolSpec,
    UserSays,
)
from greenroom.models.pacing import Pace
from greenroom.models.refusals import read_refusal, without_secrets
from greenroom.models.retries import PassingFault
from greenroom.models.specs import PROVIDERS, ModelSpec

__all__ = ["ProviderModel", "open_provider"]

_FINISHES: Final[Mapping[str, Finish]] = {
    "stop": Finish.STOP,
    "length": Finish.LENGTH,
    "content_filter": Finish.REFUSAL,
    "tool_call": Finish.TOOL_CALLS,
}
_SILENCE: Final = "(The person says nothing.)"
"""Several providers want the person first and last; a greeting and a given history break that."""


class _FormRefused(Exception):
    """The provider may not know this way of asking for a structured answer."""


class ProviderModel:
    """A model of a provider that pydantic-ai speaks to."""

    def __init__(
        self, *, spec: ModelSpec, model: ProvidersModel, key: str | None, manner: Manner, clock: Clock, pace: Pace
    ) -> None:
        """`pace` is shared with whoever else asks this model."""
        self._spec = spec
        self._model = model
        self._key = key or ""
        self._manner = manner
        self._clock = clock
        self._pace = pace
        self._native = bool(model.profile.get("supports_json_schema_output"))
        """Structured answers by the provider's own JSON schema; by an output tool where that is unknown or refused."""

    @property
    def name(self) -> str:
        """The model as it was written."""
        return self._spec.text

    @property
    def scripted(self) -> bool:
        """A real model."""
        return False

    async def ask(self, request: ModelRequest) -> ModelAnswer:
        """One answer; see `Model`."""
        request = self._manner.applied(request)
        history = _history(request)
        settings = _settings(request, self._model)

        async def attempt(_number: int) -> ModelAnswer:
            native = self._native and request.output is not None
            try:
                return await self._answer(request, history, settings, native=native)
            except _FormRefused:
                answer = await self._answer(request, history, settings, native=False)
                # Remembered once it has worked: a provider that refuses the form refuses it every time (J06).
                self._native = False
                return answer

        return await asked(
            self.name, self._clock, self._manner.policy, attempt, pace=self._pace, conversation=request.conversation
        )

    async def _answer(
        self, request: ModelRequest, history: list[parts.ModelMessage], settings: ModelSettings, *, native: bool
    ) -> ModelAnswer:
        try:
            response = await model_request(
                self._model,
                history,
                model_settings=settings,
                model_request_parameters=_wanted(request, native=native),
            )
        except ai.ContentFilterError as error:
            return ModelAnswer(
                text=self._clean(error.message), usage=Usage(calls=1, unreported=1), finish=Finish.REFUSAL
            )
        except ai.ModelAPIError as error:
            raise self._fault(error, native=native) from error
        except ai.UnexpectedModelBehavior as error:
            why = f"its answer can't be read: {self._clean(error.message)}"
            raise PassingFault(why, becomes=ModelMalformed) from error
        except ai.UserError as error:
            if native:
                raise _FormRefused from error
            raise ModelRejected(self.name, self._clean(error.message)) from error
        return _answer(response, request, native=native)

    async def close(self) -> None:
        """Close the provider's connections."""
        async with self._model:
            pass

    def _clean(self, text: str) -> str:
        return without_secrets(text, self._key)

    def _fault(self, error: ai.ModelAPIError, *, native: bool) -> "PassingFault | ModelRejected | _FormRefused":
        """What an error of the provider means for us."""
        provider = PROVIDERS[self._spec.provider]
        if isinstance(error, ai.ModelHTTPError):
            refusal = read_refusal(
                error.status_code,
                error.headers or {},
                _error_bytes(error.body),
                where=provider.title,
                key_variable=" or ".join(provider.keys),
                now=self._clock.now(),
                key=self._key,
            )
            if refusal.passing and not isinstance(error, ai.ModelQuotaExceededError):
                wait = error.retry_after if refusal.retry_after is None else refusal.retry_after
                return PassingFault(refusal.why, retry_after=wait, limits=refusal.limits)
            if native and refusal.about_form:
                return _FormRefused()
            if refusal.quota or isinstance(error, ai.ModelQuotaExceededError):
                self._pace.shut(refusal.why)
            return ModelRejected(self.name, refusal.why)
        said = self._clean(error.message)
        if isinstance(error, ai.ModelQuotaExceededError):
            self._pace.shut(said)
        if isinstance(error, ai.ModelQuotaExceededError | ai.ModelRequestRejectedError):
            return ModelRejected(self.name, said)
        if isinstance(error, ai.ModelConnectionError):
            return PassingFault(f"can't reach {provider.title}: {said}")
        return PassingFault(f"{provider.title}: {said}", retry_after=error.retry_after)


def open_provider(
    spec: ModelSpec, *, key: str | None, base_url: str | None, manner: Manner, clock: Clock, pace: Pace
) -> ProviderModel:
    """A model of another provider.

    Raises:
        ModelSpecInvalid: its extra is not installed, or pydantic-ai can't open it; the message says what to do.
    """
    try:
        kind = infer_provider_class(spec.provider)
        client = _client(kind, key, base_url)
        model = infer_model(f"{spec.provider}:{spec.model}", provider_factory=lambda _name: client)
    except ImportError as error:
        title = PROVIDERS[spec.provider].title
        raise ModelSpecInvalid(
            f"model {spec.text!r}: {title} needs a package that is not installed; pip install 'greenroom[providers]'"
        ) from error
    except (ai.UserError, ValueError) as error:
        raise ModelSpecInvalid(f"model {spec.text!r}: {without_secrets(str(error), key or '')}") from error
    return ProviderModel(spec=spec, model=model, key=key, manner=manner, clock=clock, pace=pace)


def _client(kind: type[ProvidersClient[Any]], key: str | None, base_url: str | None) -> ProvidersClient[Any]:
    """The provider's client with our key; only what its class takes is handed in."""
    offered = {"api_key": key, "base_url": base_url}
    takes = signature(kind.__init__).parameters
    return kind(**{name: value for name, value in offered.items() if value is not None and name in takes})


def _settings(request: ModelRequest, model: ProvidersModel) -> ModelSettings:
    settings = ModelSettings()
    if "max_retries" not in model.unsupported_settings:
        settings["max_retries"] = 0
    if request.max_tokens is not None:
        settings["max_tokens"] = request.max_tokens
    # Newer models of Anthropic's know no temperature; pydantic-ai would warn of it at every call.
    if request.temperature is not None and not model.profile.get("anthropic_disallows_sampling_settings"):
        settings["temperature"] = request.temperature
    if request.seed is not None:
        settings["seed"] = request.seed
    return settings


def _wanted(request: ModelRequest, *, native: bool) -> ModelRequestParameters:
    """Tools, and for a structured answer the provider's own schema or an output tool."""
    output = request.output
    if output is None:
        return ModelRequestParameters(function_tools=[_tool(spec) for spec in request.tools])
    if native:
        return ModelRequestParameters(
            function_tools=[_tool(spec) for spec in request.tools],
            output_mode="native",
            output_object=OutputObjectDefinition(json_schema=dict(output.schema), name=output.name),
        )
    return ModelRequestParameters(
        function_tools=[_tool(spec) for spec in request.tools],
        output_mode="tool",
        output_tools=[
            ToolDefinition(
                name=output.name,
                description="Give the answer.",
                parameters_json_schema=dict(output.schema),
                kind="output",
            )
        ],
        allow_text_output=False,
    )


def _tool(spec: ToolSpec) -> ToolDefinition:
    schema = dict(spec.parameters) or {"type": "object", "properties": {}}
    return ToolDefinition(name=spec.name, description=spec.description, parameters_json_schema=schema)


def _history(request: ModelRequest) -> list[parts.ModelMessage]:
    """Our messages in pydantic-ai's form, the person first and last."""
    history: list[parts.ModelMessage] = []
    waiting: list[parts.ModelRequestPart] = []
    said = request.messages
    if not said or isinstance(said[0], AgentSays):
        waiting.append(parts.UserPromptPart(content=_SILENCE))
    for message in said:
        if isinstance(message, AgentSays):
            if waiting:
                history.append(parts.ModelRequest(parts=waiting))
                waiting = []
            history.append(parts.ModelResponse(parts=_response_parts(message)))
        else:
            waiting.append(_request_part(message))
    if not waiting:
        waiting.append(parts.UserPromptPart(content=_SILENCE))
    history.append(parts.ModelRequest(parts=waiting, instructions=sendable(request.system) or None))
    return history


def _request_part(message: ChatMessage) -> parts.ModelRequestPart:
    if isinstance(message, UserSays):
        return parts.UserPromptPart(content=sendable(message.text))
    if isinstance(message, AgentSays):  # pragma: no cover - the caller sorts these out
        raise TypeError("an agent's message is no request")
    return parts.ToolReturnPart(
        tool_name=message.tool,
        content=sendable(message.text),
        tool_call_id=message.call_id,
        outcome="failed" if message.failed else "success",
    )


def _response_parts(message: AgentSays) -> list[parts.ModelResponsePart]:
    found: list[parts.ModelResponsePart] = [parts.TextPart(content=sendable(message.text))] if message.text else []
    found.extend(
        parts.ToolCallPart(tool_name=call.tool, args=_written_arguments(call.arguments), tool_call_id=call.call_id)
        for call in message.calls
    )
    return found or [parts.TextPart(content="…")]


def _written_arguments(arguments: Json) -> str:
    """Arguments as a JSON object; what was none goes back inside one, since providers refuse anything else."""
    if isinstance(arguments, Mapping):
        return encoded(arguments).decode()
    return encoded({"text": arguments}).decode()


def _answer(response: parts.ModelResponse, request: ModelRequest, *, native: bool) -> ModelAnswer:
    text = "".join(part.content for part in response.parts if isinstance(part, parts.TextPart))
    calls = tuple(
        RequestedCall(call_id=part.tool_call_id, tool=part.tool_name, arguments=read_arguments(part.args))
        for part in response.parts
        if isinstance(part, parts.ToolCallPart)
    )
    finish = _FINISHES.get(response.finish_reason or "stop", Finish.STOP)
    answered_as: Literal["schema", "tool", "text"] = "schema" if native else "text"
    if request.output is not None:
        given = next((call for call in calls if call.tool == request.output.name), None)
        if given is not None:
            answered_as, calls = "tool", ()
            text = given.arguments if isinstance(given.arguments, str) else encoded(given.arguments).decode()
    if finish in {Finish.STOP, Finish.TOOL_CALLS}:
        finish = Finish.TOOL_CALLS if calls else Finish.STOP
    return ModelAnswer(
        text=text,
        calls=calls,
        usage=_usage(response.usage),
        finish=finish,
        model=response.model_name or "",
        answered_as=answered_as,
    )


def _error_bytes(body: object) -> bytes:
    return str(body or "").encode("utf-8", "replace") if as_object(body) is None else encoded(body)


def _usage(usage: RequestUsage) -> Usage:
    """Counts are inclusive there: input contains cache reads and writes, writes contain the one-hour ones.

    A provider that reports nothing has 0 for both there, which no call really uses (M06).
    """
    return Usage(
        input_tokens=max(usage.input_tokens - usage.cache_read_tokens, 0),
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=max(usage.cache_write_tokens - usage.cache_write_1h_tokens, 0),
        cache_write_1h_tokens=usage.cache_write_1h_tokens,
        calls=1,
        unreported=0 if usage.input_tokens or usage.output_tokens else 1,
    )
