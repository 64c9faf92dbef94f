"""Saving one sample, the only write that is made thousands of times: result, body and event in one transaction."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, insert, literal_column, select, update

from greenroom.conversation.outcomes import SampleKey
from greenroom.errors import NotFound, StoreError
from greenroom.store.encoding import encode_text
from greenroom.store.events import append_event
from greenroom.store.tables import result_bodies, results

__all__ = ["SavedSample", "save_sample"]

_this_sample = (
    results.c.run_id == bindparam("of_run"),
    results.c.suite == bindparam("of_suite"),
    results.c.case_id == bindparam("of_case"),
    results.c.sample == bindparam("of_sample"),
)

_finish = (
    update(results)
    .where(
        *_this_sample, results.c.attempt == bindparam("of_attempt"), literal_column("status IN ('queued', 'running')")
    )
    .returning(results.c.id)
)

_last_attempt = (
    select(results.c.position, results.c.attempt, results.c.gate)
    .where(*_this_sample)
    .order_by(results.c.attempt.desc())
    .limit(1)
)
_add_attempt = insert(results).returning(results.c.id)
_add_body = insert(result_bodies)


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedSample:
    """A result as it is written."""

    run_id: str
    key: SampleKey
    columns: Mapping[str, Any]
    """The row's values that a list shows."""
    body: bytes
    records: bytes | None


def save_sample(connection: Connection, saved: SavedSample) -> None:
    """Write it.

    Raises:
        StoreError: this attempt was saved already.
        NotFound: the run has no such sample.
    """
    names = _names(saved.run_id, saved.key)
    result_id = connection.execute(_finish, {**names, **saved.columns}).scalar_one_or_none()
    if result_id is None:
        result_id = _new_attempt(connection, saved)
    connection.execute(_add_body, {"result_id": result_id, "body": saved.body, "records": saved.records})
    append_event(connection, saved.run_id, kind="sample_finished", at=saved.columns["finished_at"], data=_event(saved))


def _names(run_id: str, key: SampleKey) -> dict[str, Any]:
    return {
        "of_run": run_id,
        "of_suite": key.suite,
        "of_case": key.case,
        "of_sample": key.sample,
        "of_attempt": key.attempt,
    }


def _event(saved: SavedSample) -> str:
    key = saved.key
    return encode_text({
        "suite": key.suite,
        "case": key.case,
        "sample": key.sample,
        "attempt": key.attempt,
        "status": saved.columns["status"],
    })


def _new_attempt(connection: Connection, saved: SavedSample) -> int:
    """A row beside the earlier attempts at this sample; they stay as they are (R12)."""
    key = saved.key
    earlier = connection.execute(_last_attempt, _names(saved.run_id, key)).one_or_none()
    if earlier is None:
        raise NotFound(f"sample in the plan of run {saved.run_id!r} called", f"{key.suite}/{key.case}/{key.sample}")
    if key.attempt <= earlier.attempt:
        raise StoreError(
            f"attempt {key.attempt} of {key.suite}/{key.case}/{key.sample} in run {saved.run_id} is saved already; "
            f"the next one is attempt {earlier.attempt + 1}"
        )
    row = {
        "run_id": saved.run_id,
        "position": earlier.position,
        "suite": key.suite,
        "case_id": key.case,
        "sample": key.sample,
        "attempt": key.attempt,
        "gate": earlier.gate,
        "fence": 0,
        **saved.columns,
    }
    return connection.execute(_add_attempt, row).scalar_one()
