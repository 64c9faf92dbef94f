"""What every document model shares: the base class, JSON as written, and marks that say what a text is meant as."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, ClassVar, TypeAlias, TypeVar

from annotated_types import MinLen
from pydantic import BaseModel, ConfigDict, Field

from greenroom.conversation.json_values import Json

__all__ = [
    "Address",
    "ChannelKey",
    "Credential",
    "Doc",
    "Duration",
    "FilledFromEnvironment",
    "FilledWhenLive",
    "HttpMethod",
    "Id",
    "JsonValue",
    "Limited",
    "MailAddress",
    "Matcher",
    "Meant",
    "MomentMatcher",
    "Name",
    "ParameterMatcher",
    "Schema",
    "Segment",
    "SmtpUrl",
    "Templated",
    "TextMatcher",
    "ToolName",
    "Unread",
    "as_far_as_read",
    "partly_read",
]


class Meant(StrEnum):
    """What a value is meant as, beyond its type; `forms` reads the mark."""

    MATCHER = "matcher"
    TEXT_MATCHER = "text matcher"
    PARAMETER_MATCHER = "parameter matcher"
    MOMENT_MATCHER = "moment matcher"
    ID = "id"
    NAME = "name"
    CHANNEL = "channel"
    HTTP_METHOD = "HTTP method"
    TOOL_NAME = "tool name"
    TEMPLATED = "templated"
    FILLED_FROM_ENVIRONMENT = "filled from the environment"
    CREDENTIAL = "credential from the environment"
    SCHEMA = "schema"
    DURATION = "duration"
    ADDRESS = "email address"
    MAILBOX = "email address with a name"
    SMTP_URL = "address of a mail server"
    CONDITIONS = "conditions on a person"
    ONE_OR_MORE = "one or more"
    """On a list: a single value stands for a list of one."""


@dataclass(frozen=True, slots=True)
class Limited:
    """A text that is at most as long as this limit of the project, by the limit's name."""

    limit: str


JsonValue = Annotated[Json, Field()]
Matcher = Annotated[Json, Meant.MATCHER]
"""One matcher language everywhere (features.md H7): a plain value equals, a mapping of matcher words matches."""
TextMatcher = Annotated[Json, Meant.TEXT_MATCHER]
"""A matcher in a place of text: a plain text means contains."""
ParameterMatcher = Annotated[Json, Meant.PARAMETER_MATCHER]
"""A matcher of a required call's parameter, with more regular expressions refused (features.md C12)."""
MomentMatcher = Annotated[Json, Meant.MOMENT_MATCHER]
"""A matcher of a date and time; a date alone is any time of that day."""
Schema = Annotated[dict[str, JsonValue], Meant.SCHEMA]
"""A JSON Schema of an object, as written."""
Id: TypeAlias = Annotated[str, Meant.ID]
"""Lower-case words joined by hyphens (semantics: documents)."""
Name: TypeAlias = Annotated[str, Meant.NAME]
"""A key that keeps the name it is written with."""
ChannelKey: TypeAlias = Annotated[str, Meant.CHANNEL]
"""A key of an agent's `channels`."""
HttpMethod: TypeAlias = Annotated[str, Meant.HTTP_METHOD]
"""`GET` and the like, however it is written; `ANY` where any fits."""
ToolName: TypeAlias = Annotated[str, Meant.TOOL_NAME]
"""A name that every provider takes for a tool."""
Duration: TypeAlias = Annotated[float, Meant.DURATION]
"""Seconds, written `24h`, `30m`, `90s` or `2d`."""
Segment: TypeAlias = Annotated[dict[Name, Matcher], MinLen(1), Meant.CONDITIONS]
"""Conditions that must all hold: paths of a person, such as `status` or `fields.party_size`, with matchers."""
Address: TypeAlias = Annotated[str, Meant.ADDRESS]
"""An email address."""
MailAddress: TypeAlias = Annotated[str, Meant.MAILBOX]
"""An email address, or a name and the address: `Ana <ana@example.com>`."""
SmtpUrl: TypeAlias = Annotated[str, Meant.SMTP_URL]
"""The address of a mail server. It keeps `${NAME}` until mail is sent, which only the live world does."""
Templated: TypeAlias = Annotated[str, Meant.TEMPLATED]
"""Text with `{{person.first_name}}` and the like in it."""
FilledFromEnvironment: TypeAlias = Annotated[str, Meant.FILLED_FROM_ENVIRONMENT]
"""Text that may hold `${NAME}`: a header, a URL, a credential. It keeps `${NAME}` until the moment of use."""
Credential: TypeAlias = Annotated[str, Meant.CREDENTIAL]
"""The same, where a value must never be written out."""

FilledWhenLive: TypeAlias = str
"""The same, for what only the live world needs: whoever tests the agent need not have it."""


class Unread(Exception):
    """A value was looked at that is written and could not be read: nothing can be said of it yet."""


class Doc(BaseModel):
    """Frozen; unknown keys are errors.

    One that was read in part lacks what could not be read: whoever looks at that gets `Unread`.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", populate_by_name=True, arbitrary_types_allowed=True, defer_build=True
    )

    short: ClassVar[str | None] = None
    """The key that a value stands for which is no mapping: `model: NAME` is `model: {name: NAME}`."""
    whole: ClassVar[bool] = False
    """Everything written stands for that one key, mappings too."""
    in_parts: ClassVar[frozenset[str]] = frozenset()
    """Attributes that are mappings of which each entry is read for itself, so that one can't hide the others."""
    by_other_words: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Keys by what people call them elsewhere, where the nearest spelling would be another key."""
    others_under: ClassVar[str | None] = None
    """The key under which names stand that the agent declares; people write them beside it."""

    if not TYPE_CHECKING:  # To a type checker every name would be an attribute.

        def __getattr__(self, name: str) -> object:
            """Asked for what is not there."""
            if name in type(self).model_fields:
                raise Unread(name)
            return super().__getattr__(name)

    @property
    def is_whole(self) -> bool:
        """Whether all of it could be read."""
        there, parts = self.__dict__, self.in_parts
        return type(self).model_fields.keys() <= there.keys() and all(
            entry.is_whole for name in parts for entry in there[name].values()
        )

    def is_left_out(self, name: str) -> bool:
        """Whether an attribute is at its default because nothing is written."""
        return name in self.__dict__ and name not in self.model_fields_set


def partly_read(model: type[Doc], values: Mapping[str, object], unread: Collection[str]) -> Doc:
    """A document of which some attributes could not be read; what is neither read nor unread is at its default."""
    read = {name: value for name, value in values.items() if name not in unread}
    doc = model.model_construct(_fields_set=set(read), **read)
    there = {name: value for name, value in doc.__dict__.items() if name not in unread}
    object.__setattr__(doc, "__dict__", there)
    return doc


_Found = TypeVar("_Found")


def as_far_as_read(found: Iterator[_Found]) -> Iterator[_Found]:
    """What a rule finds, up to where it looks at something that could not be read."""
    try:
        yield from found
    except Unread:
        return
