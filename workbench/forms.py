"""What the screens' forms may say: validation only, no effect."""

from datetime import date, datetime, timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from workbench import vocabulary

LONGEST_STATEMENT = 2000
PARTS = ("text_1", "text_2", "text_3", "text_4")
FIRST_DAY, LAST_DAY = date(1000, 1, 1), date(9998, 12, 31)


class DayField(forms.DateField):
    """A whole day as a date box writes it: that day in the space's zone.

    Its years have four digits, so that the box can show it again, and leave room for any zone.
    """

    def __init__(self, *, required: bool = True, error_messages: dict[str, Any] | None = None):
        words = {"invalid": "Write the day as 2026-03-02.", **(error_messages or {})}
        # One way alone: 02/03/2026 is two days.
        super().__init__(required=required, error_messages=words, input_formats=["%Y-%m-%d"])

    def validate(self, value: date | None) -> None:
        """Refuse a day that a zone's clock could not begin, or a date box not show.

        **Raises**: ValidationError.
        """
        super().validate(value)
        if value is not None and not FIRST_DAY <= value <= LAST_DAY:
            raise ValidationError(f"Give a day in the years {FIRST_DAY.year} to {LAST_DAY.year}.")


class ActForm(forms.Form):
    """What every decision posts: once, on this version, seen since.

    **Shape**: ``next`` is the proposal that follows in the reader's order; ``card_digest`` and
    ``evidence_opened`` say what the card had shown, ``last_quote`` the newest quote on it, as the
    server wrote it there.
    """

    request_id = forms.UUIDField()
    version = forms.IntegerField(min_value=0)
    next = forms.IntegerField(required=False, min_value=1)
    opened_at = forms.DateTimeField(required=False)
    evidence_opened = forms.BooleanField(required=False)
    card_digest = forms.RegexField(r"^[0-9a-f]{64}$", required=False)
    last_quote = forms.IntegerField(required=False, min_value=0)
    target_seen = forms.IntegerField(required=False, min_value=1)


class ApproveForm(ActForm):
    """An approval; where something would be replaced, what happened to it.

    **Shape**: ``needs_reason`` is set where a secret would be believed: then words say why.
    """

    needs_reason = False

    change = forms.ChoiceField(
        required=False, choices=[(word, word) for word in vocabulary.HAPPENED]
    )
    changed_from = DayField(required=False)
    offered_from = forms.DateField(required=False)
    note = forms.CharField(required=False, max_length=1000)

    def clean(self) -> dict[str, Any]:
        """Ask for a choice where one is needed, and for its date."""
        cleaned = super().clean() or {}
        if cleaned.get("target_seen") and not cleaned.get("change"):
            self.add_error("change", "Say what happened to what was believed.")
        if self.needs_reason and not cleaned.get("note", "").strip():
            self.add_error("note", "This holds a secret. Say why agents may remember it.")
        if cleaned.get("change") == "changed" and not cleaned.get("changed_from"):
            self.add_error("changed_from", "Give the day it changed.")
        return cleaned


class StatementForm(forms.Form):
    """What a statement says and of whom."""

    text = forms.CharField(max_length=LONGEST_STATEMENT)
    about = forms.CharField(max_length=200)
    attribute = forms.RegexField(
        r"^[a-z][a-z0-9_]*$",
        required=False,
        max_length=64,
        error_messages={"invalid": "Write it in small letters and underscores: home_city."},
    )
    value = forms.CharField(required=False, max_length=500)
    memory_type = forms.ChoiceField(choices=vocabulary.MEMORY_TYPES)
    criticality = forms.ChoiceField(choices=vocabulary.CRITICALITIES)


class EditForm(StatementForm, ApproveForm):
    """An approval of words that a person mended first."""

    valid_from = DayField(error_messages={"required": "A start is never unknown."})
    valid_to = DayField(required=False)
    was_from = forms.DateField(required=False)
    was_to = forms.DateField(required=False)

    def clean(self) -> dict[str, Any]:
        """Refuse a period that ends before it begins."""
        cleaned = super().clean()
        start, end = cleaned.get("valid_from"), cleaned.get("valid_to")
        if isinstance(start, date) and isinstance(end, date) and end <= start:
            self.add_error("valid_to", "The end must come after the start.")
        return cleaned


class DraftForm(StatementForm):
    """A kept draft, to be proposed where somebody else decided first."""

    valid_from = DayField(error_messages={"required": "A start is never unknown."})
    valid_to = DayField(required=False)
    was_from = forms.DateField(required=False)
    was_to = forms.DateField(required=False)


class BeatForm(forms.Form):
    """What an open card tells the server now and then: which showing of it, and what it shows."""

    page = forms.UUIDField()
    stamp = forms.RegexField(r"^\d{1,9}\.\d{1,18}$", required=False)
    last_quote = forms.IntegerField(required=False, min_value=0)


class RejectForm(ActForm):
    """A rejection with one of six reasons; only the last asks for words."""

    reason = forms.ChoiceField(choices=vocabulary.REJECT_REASONS)
    note = forms.CharField(required=False, max_length=1000)

    def clean(self) -> dict[str, Any]:
        """Ask for words where the reason is none of the named ones."""
        cleaned = super().clean() or {}
        if cleaned.get("reason") == "other" and not cleaned.get("note", "").strip():
            self.add_error("note", "Say why, in a few words.")
        return cleaned


class DeferForm(ActForm):
    """A deferral to one of four moments."""

    until = forms.ChoiceField(choices=vocabulary.DEFERRALS)

    def until_at(self, *, now: datetime, today: datetime) -> datetime | None:
        """Return when the proposal comes back; None is on new evidence."""
        morning = today + timedelta(hours=8)
        return {
            "hour": now + timedelta(hours=1),
            "tomorrow": morning + timedelta(days=1),
            "week": morning + timedelta(days=7 - today.weekday()),
            "evidence": None,
        }[self.cleaned_data["until"]]


class SameForm(ActForm):
    """A proposal that says what is believed already, in the version that was seen."""

    same_as = forms.IntegerField(min_value=1)


class SameWaitingForm(ActForm):
    """A proposal that repeats another one that waits."""

    other = forms.IntegerField(min_value=1)


class SendBackForm(ActForm):
    """A return to the queue by the second person, with words to the first."""

    note = forms.CharField(
        max_length=1000, error_messages={"required": "Say what is to be looked at again."}
    )


class SplitForm(ActForm):
    """One proposal as two to four statements, each with words of its own."""

    text_1 = forms.CharField(max_length=LONGEST_STATEMENT)
    text_2 = forms.CharField(max_length=LONGEST_STATEMENT)
    text_3 = forms.CharField(required=False, max_length=LONGEST_STATEMENT)
    text_4 = forms.CharField(required=False, max_length=LONGEST_STATEMENT)

    @property
    def texts(self) -> list[str]:
        """Return the statements in their order, empty boxes left out."""
        written = (self.cleaned_data[name] for name in PARTS)
        return [text for text in written if text]


class BlindForm(forms.Form):
    """What a second reader would have decided, without knowing what the first did."""

    request_id = forms.UUIDField()
    opened_at = forms.DateTimeField(required=False)
    verdict = forms.ChoiceField(
        choices=[("approve", "approve"), ("reject", "reject"), ("same", "same")]
    )
    change = forms.ChoiceField(
        required=False, choices=[(word, word) for word in vocabulary.HAPPENED]
    )
    reason = forms.ChoiceField(required=False, choices=vocabulary.REJECT_REASONS)
    target_seen = forms.IntegerField(required=False, min_value=1)
    same_as = forms.IntegerField(required=False, min_value=1)

    def clean(self) -> dict[str, Any]:
        """Ask for what goes with the answer."""
        cleaned = super().clean() or {}
        verdict = cleaned.get("verdict")
        if verdict == "approve" and cleaned.get("target_seen") and not cleaned.get("change"):
            self.add_error("change", "Say what happened to what was believed.")
        if verdict == "reject" and not cleaned.get("reason"):
            self.add_error("reason", "Choose a reason.")
        if verdict == "same" and not cleaned.get("same_as"):
            self.add_error("same_as", "Choose what it says the same as.")
        return cleaned


class UndoForm(forms.Form):
    """A wish to take a decision back."""

    request_id = forms.UUIDField()
    next = forms.IntegerField(required=False, min_value=1)


def first_error(form: forms.Form) -> str:
    """Return one sentence about what is wrong with a form."""
    for errors in form.errors.values():
        for error in errors:
            return str(error)
    raise ValidationError("The form is sound.")
