"""JSON Schema of every document, for editors (features.md G1; documents.md).

Made from the forms that read the documents, so it takes what they take, short forms included. What only a look at
two keys can find is left to `greenroom lint`.
"""

from collections.abc import Mapping
from types import MappingProxyType

from greenroom.conversation.json_values import Json
from greenroom.documents.document_forms import AGENT, CUSTOMER, PROJECT, SUITE
from greenroom.documents.forms import Definitions, Form

__all__ = ["SCHEMA_KINDS", "document_schema"]

_FORMS: Mapping[str, Form] = MappingProxyType({
    "agent": AGENT,
    "suite": SUITE,
    "customer": CUSTOMER,
    "project": PROJECT,
})
SCHEMA_KINDS = tuple(_FORMS)
"""The documents that have a schema."""


def document_schema(kind: str) -> dict[str, Json]:
    """The JSON Schema (draft 2020-12) of one kind of document; KeyError for a kind that is not in `SCHEMA_KINDS`."""
    definitions: Definitions = {}
    root = _FORMS[kind].schema(definitions)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Greenroom {kind}",
        **root,
        "$defs": dict(sorted(definitions.items())),
    }
