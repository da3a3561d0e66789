"""Durable: the queue of sessions that workers drive, on DBOS Transact.

Here: the queue over DBOS: putting sessions on it, running what a worker takes from it, what is on
it or was taken and by whom, taking back what a dead worker had taken. The only module that knows
DBOS; it is loaded when a worker starts.
Not here: what a session needs (sweep.py), driving it (driving.py), who lives (leases.py).
Sources: ENGINE 2, 4, 5; docs/decisions/0011; https://docs.dbos.dev/python/reference/configuration.

One workflow means: drive this session until it rests. It has no steps, for the ledger remembers
each of them. At most one workflow of a session is enqueued or under way: its id is the
deduplication id. DBOS keeps its tables in a file beside the ledger, or in a schema of the same
PostgreSQL database; losing them loses nothing that a sweep does not find again.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from importlib import import_module
from pathlib import Path
from secrets import token_hex
from typing import Any

from comity.core.errors import Fault, LedgerError
from comity.ledger.address import address_of, is_postgres
from comity.ledger.sqlite import MEMORY
from comity.runner.leases import STALE_S, FileLeases, Leases, SqlLeases

__all__ = ["PROTOCOL", "DbosQueue", "Taken", "leases_of"]

PROTOCOL = "comity-1"
"""What is said between workers; workers of another protocol leave each other's sessions alone."""

_APPLICATION = "comity"
_QUEUE = "sessions"
_WORKFLOW = "comity-drive"
_POLL_S = 0.1
_TAKE_S = 0.2  # between two looks at the queue
_POOL = 8
_BUSY_MS = 30_000
_KEPT_MS = 600_000
_MOST = 1_000
_TOGETHER = 250  # put in one commit
_LONGEST_CALL_S = 3_600


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A session that is on the queue or was taken from it.

    Attributes:
        session: its id.
        key: which turn on the queue it is.
        by: the worker that took it, or "" while it waits.
    """

    session: str
    key: str
    by: str


def leases_of(where: str | Path, *, stale_s: float = STALE_S) -> Leases:
    """Return the leases of the workers of a ledger.

    Args:
        where: the ledger's path or URL.
        stale_s: after how many seconds without a word a worker counts as dead.
    """
    if is_postgres(str(where)):
        place = _Place(where)
        return SqlLeases(place.connect, schema=place.schema, stale_s=stale_s)
    path = _path(where)
    return FileLeases(path.with_name(f"{path.name}.workers"), stale_s=stale_s)


class DbosQueue:
    """The queue of one ledger; a process has at most one at a time, as DBOS has.

    Args:
        where: the ledger's path or URL.
        name: the worker's name, unique among all that live.
        slots: how many sessions this worker drives at once.
    """

    def __init__(self, where: str | Path, name: str, *, slots: int) -> None:
        """Keep what is to be opened."""
        self._place = _Place(where)
        self._name = name
        self._slots = slots

    @cached_property
    def _dbos(self) -> Any:  # noqa: ANN401  # the package is optional
        return _package()

    @cached_property
    def _client(self) -> Any:  # noqa: ANN401  # the same
        """What puts sessions on the queue, many in one commit."""
        return self._dbos.DBOSClient(
            system_database_engine=self._place.engine,
            dbos_system_schema=self._place.schema,
            serializer=_json_serializer(self._dbos),
            application_name=_APPLICATION,
        )

    def open(self, drive: Callable[[str, bool], str]) -> None:
        """Open the queue and begin to take sessions from it.

        Args:
            drive: drives a session until it rests; is told whether it was taken over. It runs in
                a thread of its own.
        """
        log = logging.getLogger("dbos")
        log.addHandler(logging.NullHandler())  # else DBOS adds one that writes to the console
        log.propagate = False
        dbos = self._dbos
        dbos.DBOS(
            config={
                "name": _APPLICATION,
                "system_database_url": self._place.url,
                "system_database_engine": self._place.engine,
                "dbos_system_schema": self._place.schema,
                "application_version": PROTOCOL,
                "executor_id": self._name,
                "serializer": _json_serializer(dbos),
                "notification_listener_polling_interval_sec": _POLL_S,
                "use_listen_notify": False,  # nothing waits for an event of DBOS
                "enable_otlp": False,
                "log_level": "CRITICAL",
                "max_executor_threads": self._slots + _POOL,
            }
        )
        dbos.DBOS.workflow(name=_WORKFLOW)(_called(drive))
        dbos.DBOS.launch()
        dbos.DBOS.register_queue(
            _QUEUE, worker_concurrency=self._slots, polling_interval_sec=_TAKE_S
        )

    def put(self, sessions: Iterable[str], *, is_over: bool = False) -> None:
        """Put sessions on the queue unless they are there or are driven.

        Args:
            sessions: their ids.
            is_over: whether they are taken over from workers that died.
        """
        wanted = tuple(sessions)
        error = self._dbos.error.DBOSQueueDeduplicatedError
        for at in range(0, len(wanted), _TOGETHER):
            some = wanted[at : at + _TOGETHER]
            try:
                with self._place.engine.begin() as link:
                    for one in some:
                        self._client.enqueue_in_transaction(link, _options(one), one, is_over)
            except error:  # one of them is there; who is not is put by itself
                for one in some:
                    with suppress(error):
                        self._client.enqueue(_options(one), one, is_over)

    def taken(self) -> tuple[Taken, ...]:
        """Return every session that is on the queue, or was taken from it and is not done."""
        found = self._dbos.DBOS.list_workflows(
            status=["ENQUEUED", "PENDING"],
            name=_WORKFLOW,
            load_input=False,
            load_output=False,
        )
        return tuple(
            Taken(
                session=one.workflow_id.rpartition("#")[0],
                key=one.workflow_id,
                by=(one.executor_id or "") if one.status == "PENDING" else "",
            )
            for one in found
        )

    def take_back(self, lost: Iterable[Taken]) -> None:
        """Put back on the queue what dead workers had taken.

        Args:
            lost: what they had taken.
        """
        lost = tuple(lost)
        if lost:
            self._dbos.DBOS.cancel_workflows([one.key for one in lost])
        self.put((one.session for one in lost), is_over=True)

    def tidy(self, *, now_ms: int) -> None:
        """Forget what was done more than ten minutes ago; the ledger remembers it.

        Args:
            now_ms: what time it is.
        """
        before = datetime.fromtimestamp((now_ms - _KEPT_MS) / 1000, UTC).isoformat()
        done = self._dbos.DBOS.list_workflows(
            status=["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"],
            completed_before=before,
            name=_WORKFLOW,
            limit=_MOST,
            load_input=False,
            load_output=False,
        )
        if done:
            self._dbos.DBOS.delete_workflows([one.workflow_id for one in done])

    def close(self) -> None:
        """Take nothing more from the queue, wait for what was taken, and close it."""
        self._dbos.DBOS.destroy(
            destroy_registry=True, workflow_completion_timeout_sec=_LONGEST_CALL_S
        )
        self._place.close()


def _called(drive: Callable[[str, bool], str]) -> Callable[[str, bool], str]:
    """Return a function of the shape that DBOS looks at."""

    def comity_drive(session: str, is_over: bool) -> str:  # noqa: FBT001  # arguments are recorded by place
        return drive(session, is_over)

    return comity_drive


def _options(session: str) -> dict[str, str]:
    """Return what DBOS is told about one turn of a session."""
    return {
        "workflow_name": _WORKFLOW,
        "queue_name": _QUEUE,
        "workflow_id": f"{session}#{token_hex(6)}",
        "deduplication_id": session,
        "app_version": PROTOCOL,
    }


def _package() -> Any:  # noqa: ANN401  # a module
    try:
        return import_module("dbos")
    except ImportError as error:
        raise LedgerError(
            Fault(
                "workers",
                "need DBOS, which is not installed",
                "the extra 'durable'",
                "run: pip install 'comity[durable]'",
            )
        ) from error


def _json_serializer(dbos: Any) -> Any:  # noqa: ANN401  # its base class is the package's
    """Return a serializer that writes JSON; DBOS's own writes pickles."""

    class Jsons(dbos.Serializer):  # type: ignore[misc]  # the package is not there for the checker
        def serialize(self, data: Any) -> str:  # noqa: ANN401  # plain JSON, or an error of DBOS's
            return json.dumps(data, default=str)

        def deserialize(self, serialized_data: str) -> Any:  # noqa: ANN401  # the same
            return json.loads(serialized_data)

        def name(self) -> str:
            return "comity_json"

    return Jsons()


# --- where its tables are --------------------------------------------------------------------


class _Place:
    """Where DBOS's tables are, and how to connect to it.

    Args:
        where: the ledger's path or URL.
    """

    def __init__(self, where: str | Path) -> None:
        if is_postgres(str(where)):
            address = address_of(str(where))
            rest = address.conninfo.partition("://")[2]
            self.url = f"postgresql+psycopg://{rest}"
            self.schema = f"{address.schema}_queue"
        else:
            path = _path(where)
            self.url = f"sqlite:///{path.with_name(f'{path.name}.queue')}"
            self.schema = "main"

    @cached_property
    def engine(self) -> Any:  # noqa: ANN401  # the package is optional
        """An engine with the settings that DBOS lacks."""
        _package()
        alchemy = import_module("sqlalchemy")
        if not self.url.startswith("sqlite"):
            return alchemy.create_engine(
                self.url, pool_size=_POOL, max_overflow=_POOL, pool_pre_ping=True, pool_timeout=30
            )
        engine = alchemy.create_engine(self.url, pool_size=_POOL, max_overflow=0, pool_timeout=60)
        alchemy.event.listen(engine, "connect", _prepare)
        return engine

    def connect(self) -> Any:  # noqa: ANN401  # the same
        """Return a connection of its own that commits every statement."""
        return self.engine.connect().execution_options(isolation_level="AUTOCOMMIT")

    def close(self) -> None:
        if "engine" in self.__dict__:
            self.engine.dispose()


def _prepare(link: Any, _: object) -> None:  # noqa: ANN401  # a connection of sqlite3
    """Set a connection to SQLite up: a log, a patient lock, writers that lock first."""
    link.isolation_level = "IMMEDIATE"
    for pragma in (
        f"busy_timeout = {_BUSY_MS}",
        "journal_mode = WAL",
        "synchronous = NORMAL",  # what a power cut takes from the queue, a sweep finds again
        "foreign_keys = ON",
    ):
        link.execute(f"PRAGMA {pragma}")


def _path(where: str | Path) -> Path:
    text = str(where).removeprefix("sqlite:///")
    if text == MEMORY:
        raise LedgerError(
            Fault(
                "workers",
                "share no ledger in memory",
                "a ledger in a file, or on PostgreSQL",
                "name one with --db",
            )
        )
    return Path(text).absolute()
