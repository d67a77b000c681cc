"""Files that people bring: upload, look, confirm, follow, take the failed rows along."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_POST, require_safe

from extraction.importing import Choices
from extraction.uploads import commands, queries, running
from extraction.uploads.choosing import read_choices
from extraction.uploads.queries import ImportRow
from knowledge.errors import Conflict, InvalidInput, NotAllowed, NotFound
from workbench import acts, keys_switch
from workbench.access import Seat, seat_in, seated
from workbench.http import HtmxHttpRequest, number_from, render_page, see_other, wants_fragment
from workbench.import_forms import ChoicesForm, UploadForm
from workbench.pages.imports import Draft, import_view, imports_view, may_import
from workbench.receiving import ToUploads
from workbench.refusals import acting

# A file up to this size is looked through at once, for at most so long; others by the worker.
AT_ONCE_BYTES = 1024 * 1024
AT_ONCE_S = 5.0

NO_FILE = "Choose a file first."
BAD_FORM = "That form was not complete. Open the page again and choose the file once more."
EMPTY = "That file is empty: there is nothing to import."
OTHERWISE = (
    "You chose otherwise than when the file was looked through, so it was looked through again. "
    "This is what would come in now."
)


@require_safe
@seated
def imports(request: HtmxHttpRequest, seat: Seat) -> HttpResponse:
    """Show the way in and what came that way."""
    return _list(request, seat)


@csrf_exempt  # and protected again below, once the file has a place to go to
@require_POST
@seated
def upload(request: HtmxHttpRequest, seat: Seat) -> HttpResponse:
    """Take a file in, have it looked through, and lead to its page."""
    if not may_import(seat):
        raise PermissionDenied(
            f"You are {seat.role} in {seat.name}. Curators and administrators import files."
        )
    receiver = ToUploads(request)
    request.upload_handlers = [receiver]
    try:
        return _take_in(request, seat, receiver)
    finally:
        receiver.discard_unless_kept()


@csrf_protect
def _take_in(request: HtmxHttpRequest, seat: Seat, receiver: ToUploads) -> HttpResponse:
    form = UploadForm(request.POST)
    if receiver.refused:
        return _list(request, seat, error=receiver.refused, status=receiver.status)
    if not form.is_valid():
        return _list(request, seat, error=BAD_FORM, status=422)
    if receiver.uploaded is None:
        return _list(request, seat, error=NO_FILE, status=422)
    if not receiver.uploaded.size:
        return _list(request, seat, error=EMPTY, status=422)
    try:
        with acting(request):
            key = commands.record(
                space_id=seat.space_id,
                file=receiver.uploaded,
                choices=Choices(),
                form_id=form.cleaned_data["form_id"],
                by=acts.actor(seat),
                now=timezone.now(),
            )
    except NotAllowed as error:
        return _list(request, seat, error=str(error), status=403)
    except Conflict as error:
        return _list(request, seat, error=str(error), status=409)
    row = _row(seat, key)
    receiver.is_kept = row.folder == receiver.uploaded.folder
    _look_at_once(row)
    return see_other(reverse("import", args=[key]))


@require_safe
@seated
def file_import(request: HtmxHttpRequest, seat: Seat, import_id: int) -> HttpResponse:
    """Show a file: what is in it, how far its import is, or what came of it."""
    seat, row = _find(request, seat, import_id)
    response = _page(request, seat, row)
    is_moving = row.state in ("reading", "importing")
    if wants_fragment(request, "progress") and not (is_moving and not row.given_up):
        response.headers["HX-Refresh"] = "true"
    return response


@require_POST
@seated
def choose(request: HtmxHttpRequest, seat: Seat, import_id: int) -> HttpResponse:
    """Confirm what was looked at, or have it looked through again as chosen now."""
    seat, row = _find(request, seat, import_id)
    form = ChoicesForm(request.POST)
    if not form.is_valid():
        return _page(request, seat, row, draft=_draft(form), status=422)
    chosen = form.choices()
    wants_import = form.cleaned_data["imports"]
    is_seen = commands.reads_the_same(chosen, read_choices(row.choices))
    try:
        with acting(request):
            _choose(row, seat, chosen=chosen, confirms=wants_import and is_seen)
    except NotAllowed as error:
        return _page(request, seat, row, error=str(error), status=403)
    except InvalidInput as error:
        draft = _draft(form, errors={error.field: str(error)})
        return _page(request, seat, row, draft=draft, status=422)
    except Conflict as error:
        return _page(request, seat, _row(seat, import_id), lost=str(error), status=409)
    if wants_import and not is_seen:
        messages.info(request, OTHERWISE)
    return see_other(reverse("import", args=[import_id]))


def _choose(row: ImportRow, seat: Seat, *, chosen: Choices, confirms: bool) -> None:
    now, by = timezone.now(), acts.actor(seat)
    if confirms:
        commands.confirm(import_id=row.id, space_id=seat.space_id, choices=chosen, by=by, now=now)
        return
    commands.choose(import_id=row.id, space_id=seat.space_id, choices=chosen, by=by, now=now)
    _look_at_once(_row(seat, row.id))


@require_POST
@seated
def discard(request: HtmxHttpRequest, seat: Seat, import_id: int) -> HttpResponse:
    """Throw a file away before it is imported, or stop its import."""
    seat, row = _find(request, seat, import_id)
    try:
        with acting(request):
            commands.discard(
                import_id=row.id, space_id=seat.space_id, by=acts.actor(seat), now=timezone.now()
            )
    except NotAllowed as error:
        return _page(request, seat, row, error=str(error), status=403)
    except Conflict as error:
        return _page(request, seat, _row(seat, import_id), lost=str(error), status=409)
    stopped = row.state == "importing"
    messages.success(request, "Stopped. What came in stays." if stopped else "The file is deleted.")
    return see_other(reverse("import", args=[import_id]) if stopped else reverse("imports"))


@require_POST
@seated
def try_again(request: HtmxHttpRequest, seat: Seat, import_id: int) -> HttpResponse:
    """Go on with what was given up."""
    seat, row = _find(request, seat, import_id)
    try:
        with acting(request):
            commands.try_again(
                import_id=row.id, space_id=seat.space_id, by=acts.actor(seat), now=timezone.now()
            )
    except NotAllowed as error:
        return _page(request, seat, row, error=str(error), status=403)
    except NotFound as error:
        return _page(request, seat, row, lost=str(error), status=409)
    return see_other(reverse("import", args=[import_id]))


@require_safe
@seated
def failed_rows(request: HtmxHttpRequest, seat: Seat, import_id: int) -> HttpResponse:
    """Hand out the rows that failed as a table; the log says to whom."""
    seat, row = _find(request, seat, import_id)
    if not row.has_rows:
        raise Http404("There are no rows to download. They are kept for a week.")
    try:
        table = running.path_of_rows(row).read_bytes()
    except OSError as error:
        raise Http404("These rows are deleted already.") from error
    commands.note_download(import_id=row.id, space_id=seat.space_id, by=acts.actor(seat))
    response = HttpResponse(table, content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = (
        f'attachment; filename="import-{row.id}-failed-rows.csv"'
    )
    response.headers["Cache-Control"] = "no-store, private"
    return response


def _find(request: HtmxHttpRequest, seat: Seat, import_id: int) -> tuple[Seat, ImportRow]:
    """Load an import and move to its space. **Raises**: Http404."""
    seat = seat_in(request, seat, queries.space_of_import(import_id))
    return seat, _row(seat, import_id)


def _row(seat: Seat, import_id: int) -> ImportRow:
    row = queries.import_of(import_id, space_id=seat.space_id)
    if row is None:
        raise Http404("There is no such import.")
    return row


def _look_at_once(row: ImportRow) -> None:
    """Look through a small file now, so that nobody waits for the worker; a zip may be large."""
    if row.size <= AT_ONCE_BYTES and not row.name.casefold().endswith(".zip"):
        running.read_upload(row.id, longest_s=AT_ONCE_S)


def _list(
    request: HtmxHttpRequest, seat: Seat, *, error: str = "", status: int = 200
) -> HttpResponse:
    page = imports_view(
        seat=seat,
        after=number_from(request, "after"),
        keys_on=keys_switch.are_on(request),
        error=error,
    )
    return render_page(request, template="imports/list.html", page=page, status=status)


def _page(
    request: HtmxHttpRequest,
    seat: Seat,
    row: ImportRow,
    *,
    status: int = 200,
    draft: Draft | None = None,
    lost: str = "",
    error: str = "",
) -> HttpResponse:
    page = import_view(
        row,
        seat=seat,
        keys_on=keys_switch.are_on(request),
        draft=draft,
        lost=lost,
        error=error,
    )
    parts = (part for part in ("progress", "extraction") if wants_fragment(request, part))
    return render_page(
        request,
        template="imports/import.html",
        page=page,
        status=status,
        fragment=next(parts, "work"),
    )


def _draft(form: ChoicesForm, *, errors: dict[str, str] | None = None) -> Draft:
    given = form.data
    found = {name: str(lines[0]) for name, lines in form.errors.items()}
    return Draft(
        whose=given.get("whose", ""),
        subject=given.get("subject", ""),
        subject_name=given.get("subject_name", ""),
        zone=given.get("zone", ""),
        dates=given.get("dates", ""),
        format=given.get("format", ""),
        errors=errors or found,
    )
