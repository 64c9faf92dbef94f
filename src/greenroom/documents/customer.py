"""A test customer: what a case's agent sees when it looks things up (documents.md: customer; features.md C1–C4)."""

from pydantic import Field

from greenroom.documents.mocks import HttpFixture
from greenroom.documents.parts import Doc, Id, JsonValue

__all__ = ["Customer"]


class Customer(Doc):
    """Named data of connectors and HTTP fixtures. Each connector's entities are as that connector's API has them."""

    id: Id = Field(alias="customer")
    """The customer's id: lower-case words joined by hyphens."""
    name: str = ""
    """What people call it. Left out: the id."""
    description: str = ""
    """More about it, for people."""
    shopify: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    """Data of the Shopify connector, as its API has it."""
    shipbob: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    """Data of the ShipBob connector, as its API has it."""
    loop_subscriptions: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    """Data of the Loop Subscriptions connector, as its API has it; Loop Returns is another product."""
    http: dict[Id, HttpFixture] = Field(default_factory=dict[Id, HttpFixture])
    """What HTTP requests are answered with, by id."""
