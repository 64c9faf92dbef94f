"""What models and their keys mean, for editors and the reference: their docstrings, in the words of people who write.

A field's docstring stands under it and is no attribute, so a module's source is read for them, once and only when
somebody asks. What a docstring cites of our papers is left out.
"""

import ast
import inspect
import re
from collections.abc import Iterator, Mapping
from functools import cache

from greenroom.documents.parts import Doc

__all__ = ["described_field", "described_model"]

_CITED = re.compile(r"[ \n]*\((?:features\.md|documents\.md|semantics|[A-Z]\d\d)[^()]*\)")


def described_model(model: type[Doc]) -> str:
    """The first paragraph of a model's docstring."""
    return _plain((model.__doc__ or "").split("\n\n")[0])


def described_field(model: type[Doc], attribute: str) -> str:
    """A field's docstring, its own or the one it inherits; empty when there is none."""
    return next((docs[attribute] for docs in map(_field_docs, _lineage(model)) if attribute in docs), "")


def _lineage(model: type[Doc]) -> Iterator[type[Doc]]:
    return (kind for kind in model.__mro__ if issubclass(kind, Doc))


def _plain(docstring: str) -> str:
    return " ".join(_CITED.sub("", docstring).split())


def _field_docs(model: type[Doc]) -> Mapping[str, str]:
    module = inspect.getmodule(model)
    return {} if module is None else _docs_of_module(inspect.getsource(module)).get(model.__name__, {})


@cache
def _docs_of_module(source: str) -> Mapping[str, Mapping[str, str]]:
    """By class and field."""
    classes = (node for node in ast.parse(source).body if isinstance(node, ast.ClassDef))
    return {each.name: dict(_docs_of_class(each)) for each in classes}


def _docs_of_class(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, below in zip(node.body, node.body[1:], strict=False):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str() as text)):
                yield name, _plain(text)
            case _:
                pass
