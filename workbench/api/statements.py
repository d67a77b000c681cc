"""GET /statements/{id}: one statement, and its versions on both time axes."""

from dataclasses import asdict

from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Router

from knowledge.queries import statements
from workbench.api import auth
from workbench.api.schemas import AtIn, HistoryOut, ProblemOut, StatementOut, VersionOut
from workbench.queries.keys import Grant

router = Router(tags=["statements"])

_PROBLEMS = {frozenset({401, 403, 404, 422, 503}): ProblemOut}
ERASED = "[erased]"
_LARGEST_ID = 2**63 - 1


@router.get(
    "/statements/{int:statement_id}",
    auth=auth.KeyAuth("retrieve"),
    response={200: StatementOut, **_PROBLEMS},
    summary="One statement",
)
def one_statement(request: HttpRequest, statement_id: int, wanted: Query[AtIn]) -> StatementOut:
    """Return the version that holds at both instants, else the last one."""
    view = _read(request, statement_id, wanted)
    return StatementOut(
        statement_id=view.statement_id,
        subject=view.subject,
        valid_at=view.valid_at,
        known_at=view.known_at,
        holds=view.holds is not None,
        version=_version(view.latest),
    )


@router.get(
    "/statements/{int:statement_id}/history",
    auth=auth.KeyAuth("retrieve"),
    response={200: HistoryOut, **_PROBLEMS},
    summary="Its versions",
)
def history(request: HttpRequest, statement_id: int, wanted: Query[AtIn]) -> HistoryOut:
    """Return every version known at `known_at`, in order of belief."""
    view = _read(request, statement_id, wanted)
    return HistoryOut(
        statement_id=view.statement_id,
        subject=view.subject,
        valid_at=view.valid_at,
        known_at=view.known_at,
        versions=[_version(version) for version in view.versions],
    )


def _version(view: statements.VersionView) -> VersionOut:
    """Write a version; in the place of words that were erased stands that they were."""
    words = {"text": ERASED} if view.redacted else {}
    return VersionOut(**asdict(view) | words)


def _read(request: HttpRequest, statement_id: int, wanted: AtIn) -> statements.StatementView:
    grant: Grant = request.auth  # type: ignore[attr-defined]  # ninja puts it there
    view = statements.statement(
        min(statement_id, _LARGEST_ID),
        space_id=grant.space_id,
        subject_ids=grant.subject_ids,
        valid_at=wanted.valid_at,
        known_at=wanted.known_at,
        now=timezone.now(),
    )
    auth.log(
        space_id=grant.space_id,
        by=auth.actor_of(request, grant),
        action="statement.read",
        object_type="statement",
        object_id=str(statement_id),
        subject_id=view.subject_id,
        payload={"known_at": view.known_at, "valid_at": view.valid_at},
    )
    return view
