"""Tools that are wrong, each in one way: the title, and the keys of an agent."""

from collections.abc import Sequence

__all__ = ["TOOLS"]

TOOLS: Sequence[tuple[str, str]] = (
    ("a tool with a name of ours", "tools: {send_message: {url: 'https://a.example'}}"),
    ("a tool name that no provider takes", "tools: {Find boats: {url: 'https://a.example'}}"),
    ("a webhook tool without an address", "tools: {find: {kind: webhook}}"),
    ("a client tool with an address", "tools: {find: {kind: client, url: 'https://a.example'}}"),
    ("an unknown kind of tool", "tools: {find: {kind: webhok, url: 'https://a.example'}}"),
    ("a method that is none", "tools: {find: {method: FETCH, url: 'https://a.example'}}"),
    ("a path without its parameter", "tools: {find: {url: 'https://a.example/{boat}'}}"),
    ("a confirmation by nothing", "tools: {book: {kind: integration, confirm_with: bok}}"),
    (
        "parameters that are no schema",
        "tools: {find: {url: 'https://a.example', parameters: {type: object, properties: {day: {type: text}, n: 3}, "
        "required: [dya]}}}",
    ),
)
