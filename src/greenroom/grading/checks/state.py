"""Checks on what the world holds: values, what was created and deleted, what has not changed (features.md E1).

Graded by the end state, a case does not care by which calls the agent got there (T15).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from greenroom.conversation.appointments import Spelling
from greenroom.conversation.json_values import Json
from greenroom.conversation.world_state import Entities, WorldSeen
from greenroom.documents.state import Held, StateIs, held_in_roots, is_count, whole_path
from greenroom.grading.checks.scope import Decision, Scope, listed
from greenroom.grading.checks.spelled import spelled, spelled_appointment
from greenroom.grading.checks.state_entities import as_the_clock_shows, entity_misfits, fields_meant
from greenroom.world.equality import same
from greenroom.world.matching import ABSENT, lookup, mismatch
from greenroom.world.wording import shown

__all__ = ["decide_state"]

_NOTHING: Entities = {}
_SHOWN_CHANGES = 6
_APPOINTMENTS = "appointments"


def decide_state(check: StateIs, scope: Scope) -> Decision:
    """Everything the check says, each with what was found; a script line's looks at that turn alone."""
    seen, say = scope.world, scope.evidence.spelling
    if seen is None:
        return Decision(passed=False, detail="what the world held was not kept")
    reasons = [
        *(why for held in held_in_roots(check) for why in _held(held, seen, say)),
        *_created(check, seen, say),
        *_deleted(check, seen, say),
        *_unchanged(check, seen, say),
    ]
    return Decision(passed=not reasons, detail="; ".join(reasons))


def _before(seen: WorldSeen, root: str) -> Entities:
    return seen.before.roots.get(root, _NOTHING)


def _after(seen: WorldSeen, root: str) -> Entities:
    return seen.after.roots.get(root, _NOTHING)


def _new(seen: WorldSeen, root: str) -> Entities:
    before = _before(seen, root)
    return {name: values for name, values in _after(seen, root).items() if name not in before}


def _gone(seen: WorldSeen, root: str) -> Entities:
    after = _after(seen, root)
    return {name: values for name, values in _before(seen, root).items() if name not in after}


def _roots(seen: WorldSeen) -> Sequence[str]:
    return list(dict.fromkeys([*seen.before.roots, *seen.after.roots]))


def _held(held: Held, seen: WorldSeen, say: Spelling) -> Iterator[str]:
    """What the conversation left: an entity by its name, some that are there, or how many."""
    held = replace(held, wanted=_meant(held.root, held.wanted, say))
    root, after = held.root, _after(seen, held.root)
    if held.name is not None:
        yield from _entity(held, held.name, after, say)
    elif is_count(held.wanted):
        yield from _number(f"of {root}", held.wanted, after, root, say)
    else:
        yield from _paired(root, _list(held.wanted), after, say, exactly=False)


def _entity(held: Held, name: str, there: Entities, say: Spelling) -> Iterator[str]:
    root = held.root
    for path, why in entity_misfits(root, held.wanted, there.get(name), field=held.field):
        place = ".".join(part for part in (root, name, path) if part)
        yield f"{place}: {why}{_also(path, there.get(name), say)}" + (
            "" if path or name in there else f"; {_which(root, there)}"
        )


def _which(root: str, there: Entities) -> str:
    return f"there are {listed([f'{root}.{name}' for name in there])}" if there else f"nothing is in {root}"


def _created(check: StateIs, seen: WorldSeen, say: Spelling) -> Iterator[str]:
    if check.created is None:
        return
    for root in () if check.created else _roots(seen):
        yield from _unwanted("created", root, _new(seen, root), say)
    for root, written in check.created.items():
        new = _new(seen, root)
        if is_count(written):
            yield from _number(f"were created in {root}", written, new, root, say)
        else:
            yield from _paired(root, _list(_meant(root, written, say)), new, say, exactly=True)


def _meant(root: str, written: Json, say: Spelling) -> Json:
    """Times of appointments are those of the agent's clock."""
    return as_the_clock_shows(written, say.zone) if root == _APPOINTMENTS else written


def _deleted(check: StateIs, seen: WorldSeen, say: Spelling) -> Iterator[str]:
    if check.deleted is None:
        return
    named = [whole_path(path) for path in check.deleted]
    for path in named:
        root, _, name = path.partition(".")
        if name not in _gone(seen, root):
            still = "it is still there" if name in _after(seen, root) else "it was never there"
            yield f"{path}: expected to be deleted, but {still}"
    roots = {path.partition(".")[0] for path in named} or _roots(seen)
    for root in roots:
        gone = {name: values for name, values in _gone(seen, root).items() if f"{root}.{name}" not in named}
        yield from _unwanted("deleted", root, gone, say)


def _unwanted(what: str, root: str, entities: Entities, say: Spelling) -> Iterator[str]:
    if entities:
        yield f"{what} besides: {_shown(root, entities, say)}"


def _unchanged(check: StateIs, seen: WorldSeen, say: Spelling) -> Iterator[str]:
    if check.unchanged is None:
        return
    wanted = None if check.unchanged is True else [whole_path(path) for path in check.unchanged]
    spoken_of = set(_spoken_of(check, seen))
    changes = [
        told
        for path, told in _changes(seen, say)
        if (wanted is None or any(_within(path, place) or _within(place, path) for place in wanted))
        and not any(_within(path, place) for place in spoken_of)
    ]
    if changes:
        yield f"changed: {listed(changes, most=_SHOWN_CHANGES)}"


def _spoken_of(check: StateIs, seen: WorldSeen) -> Iterator[str]:
    """The places that the rest of the check says something of, and so may have changed."""
    for held in held_in_roots(check):
        root, after = held.root, _after(seen, held.root)
        if held.name is not None:
            yield from _places(root, held.name, held.wanted, after, field=held.field)
        elif not is_count(held.wanted):
            entries = _list(held.wanted)
            for index, name in _pairs(root, entries, after).items():
                yield from _places(root, name, entries[index], after)
    for root in check.created or {}:
        yield from (f"{root}.{name}" for name in _new(seen, root))
    yield from (whole_path(path) for path in check.deleted or ())


def _places(root: str, name: str, wanted: Json, there: Entities, *, field: str = "") -> Iterator[str]:
    if name not in there:
        return
    fields = list(fields_meant(root, wanted, there[name], field=field))
    # Whoever says that an appointment begins at another time has said that it ends at another.
    ends = ["end"] if root == "appointments" and "start" in fields else []
    yield from (f"{root}.{name}.{path}" for path in (*fields, *ends))


def _changes(seen: WorldSeen, say: Spelling) -> Iterator[tuple[str, str]]:
    """Everything that is not as it was, each with its place."""
    for root in _roots(seen):
        before, after = _before(seen, root), _after(seen, root)
        for name in dict.fromkeys([*before, *after]):
            place = f"{root}.{name}"
            if name not in before:
                yield place, f"{place} was created: {shown(after[name])}{_spelled(root, after[name], say)}"
            elif name not in after:
                yield place, f"{place} was deleted"
            else:
                yield from _differences(place, before[name], after[name], say)


def _differences(
    place: str, before: Mapping[str, Json], after: Mapping[str, Json], say: Spelling
) -> Iterator[tuple[str, str]]:
    for key in dict.fromkeys([*before, *after]):
        one, other = before.get(key), after.get(key)
        here = f"{place}.{key}"
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            yield from _differences(here, one, other, say)
        elif key not in before:
            yield here, f"{here}: {shown(other)}, which was not there"
        elif key not in after:
            yield here, f"{here}: not there any more, was {shown(one)}"
        elif not same(one, other):
            was, now = (f"{shown(each)}{spelled(key, each, say)}" for each in (one, other))
            yield here, f"{here}: {now}, was {was}"


def _number(what: str, wanted: Json, entities: Entities, root: str, say: Spelling) -> Iterator[str]:
    why = mismatch(wanted, len(entities))
    if why is not None:
        yield f"how many {what}: {why}" + (f": {_shown(root, entities, say)}" if entities else "")


def _paired(root: str, written: Sequence[Json], there: Entities, say: Spelling, *, exactly: bool) -> Iterator[str]:
    """Each entry has an entity of its own; `exactly`: and each entity an entry."""
    pairs = _pairs(root, written, there)
    free = {name: values for name, values in there.items() if name not in pairs.values()}
    what = "created in " if exactly else ""
    for index, wanted in enumerate(written):
        if index in pairs:
            continue
        nearest = _nearest(root, wanted, free)
        if nearest is None:
            yield f"{what}{root}: expected {shown(wanted)}; " + ("nothing else was" if exactly else _which(root, there))
        else:
            del free[nearest]
            differs = _how_it_differs(root, nearest, wanted, there, say)
            yield f"{what}{root}: expected {shown(wanted)}; nearest {differs}"
    if exactly:
        yield from _unwanted("created", root, free, say)


def _pairs(root: str, written: Sequence[Json], there: Entities) -> Mapping[int, str]:
    """Entries by number to the entity that each has for itself: as many as can be had together."""
    fits = {
        index: [name for name, values in there.items() if not entity_misfits(root, wanted, values)]
        for index, wanted in enumerate(written)
    }
    taken: dict[str, int] = {}

    def find(index: int, tried: set[str]) -> bool:
        for name in fits[index]:
            if name not in tried:
                tried.add(name)
                if name not in taken or find(taken[name], tried):
                    taken[name] = index
                    return True
        return False

    for index in fits:
        find(index, set())
    return {index: name for name, index in taken.items()}


def _nearest(root: str, wanted: Json, free: Entities) -> str | None:
    """The entity that differs least; None when there is none left."""
    return min(free, key=lambda name: len(entity_misfits(root, wanted, free[name])), default=None)


def _how_it_differs(root: str, name: str, wanted: Json, there: Entities, say: Spelling) -> str:
    misfits = entity_misfits(root, wanted, there[name])
    values = there[name]
    return f"{root}.{name}: " + ", ".join(
        f"{path}: {why}{_also(path, values, say)}" if path else why for path, why in misfits
    )


def _shown(root: str, entities: Entities, say: Spelling) -> str:
    return listed([f"{root}.{name} {shown(values)}{_spelled(root, values, say)}" for name, values in entities.items()])


def _spelled(root: str, values: Mapping[str, Json], say: Spelling) -> str:
    told = spelled_appointment(values, say) if root == "appointments" else ""
    return f" ({told})" if told else ""


def _also(path: str, values: Mapping[str, Json] | None, say: Spelling) -> str:
    """What stands at a path, as the transcript writes it, where that is another way."""
    found = ABSENT if values is None or not path else lookup(values, path)
    return spelled(path, found.value, say) if found.there else ""


def _within(path: str, place: str) -> bool:
    return path == place or path.startswith(f"{place}.")


def _list(written: Json) -> Sequence[Json]:
    """Entities to be found; one by itself is a list of one."""
    return written if isinstance(written, Sequence) and not isinstance(written, str) else [written]
