"""A test customer: what a case's agent sees when it looks things up (documents.md: customer; features.md C1–C4)."""

from pydantic import Field

from greenroom.documents.mocks import HttpFixture
from greenroom.documents.parts import Doc, Id, JsonValue

__all__ = ["Customer"]


class Customer(Doc):
    """Named data of connectors and HTTP fixtures. Each connector's entities are as that connector's API has them."""

    id: Id = Field(alias="customer")
    name: str = ""
    description: str = ""
    shopify: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    shipbob: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    loop_subscriptions: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    """Loop Subscriptions; Loop Returns is another product."""
    http: dict[Id, HttpFixture] = Field(default_factory=dict[Id, HttpFixture])
