"""Uploaded files and what is left of them, as an erasure reaches them.

Nobody knows who is in a file before it is read in. So an erasure in a space takes every file that
lies there, whoever it is about, and every row that failed; of what is closed it takes the words
that name what is erased.
"""

from django.db.models import Q, QuerySet
from django.utils import timezone

from extraction.uploads import steps
from extraction.uploads.models import FileImport
from knowledge.erasing.places import Place
from knowledge.erasing.repeats import Sought
from knowledge.erasing.scope import Reach

TAKEN_ALONG = (
    "An erasure in this space took the file along. What came in before stays; bring the file "
    "again for the rest."
)


def place() -> Place:
    """Return uploads as a place that holds words."""
    return Place("uploads", count, clear)


def count(reach: Reach) -> int:
    """Count the files, the rows that failed and the closed imports that would be emptied."""
    return _lying(reach).count() + len(_naming(reach))


def clear(reach: Reach) -> int:
    """Delete what lies there, as a step of an erasure, and empty what names what is erased."""
    naming = _naming(reach)
    lying = list(_lying(reach).select_for_update(no_key=True))
    for row in lying:
        if row.finished_at is None:
            steps.close(row, now=timezone.now())
            row.error = TAKEN_ALONG
        else:
            steps.delete_folder(row)
        _empty(row)
    for row in naming:
        _empty(row)
    return len(lying) + len(naming)


def _lying(reach: Reach) -> QuerySet[FileImport]:
    rows = FileImport.objects.filter(space_id=reach.scope.space_id)
    return rows.filter(Q(finished_at=None) | Q(has_rows=True))


def _naming(reach: Reach) -> list[FileImport]:
    sought = Sought(reach)
    rows = FileImport.objects.filter(space_id=reach.scope.space_id).exclude(
        pk__in=_lying(reach).values("pk")
    )
    return [row for row in rows.iterator() if sought.is_in(*_texts(row))]


def _texts(row: FileImport) -> list[str]:
    """List what a closed import still says in words."""
    subject = row.choices.get("subject") or []
    told = [str(part) for problem in row.problems for part in problem]
    named = [row.choices.get("speaker", ""), *subject, ":".join(subject[:2])]
    return [row.name, row.error, *named, *told]


def _empty(row: FileImport) -> None:
    # The hash of a short file gives its words away to whoever guesses them.
    row.name = row.sha256 = ""
    row.choices = {name: value for name, value in row.choices.items() if name in ("format", "zone")}
    row.preview = {}
    row.problems = []
    if row.error != TAKEN_ALONG:
        row.error = ""
    row.save()
