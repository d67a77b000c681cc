"""What the import pages may post: validation only, no effect."""

from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django import forms

from extraction.importing import Choices
from knowledge.results import SubjectRef

EVERYBODY = "everybody"
NOBODY = "nobody"
SPEAKER = "speaker:"
KINDS = ("user", "project", "agent", "organisation")
DATES = {"": None, "day": True, "month": False}


class UploadForm(forms.Form):
    """A file on its way in; the file itself goes another way."""

    form_id = forms.UUIDField()


class ChoicesForm(forms.Form):
    """How a file is read and whose memory it feeds.

    **Shape**: ``whose`` is everybody, nobody who speaks, or a speaker's name after a mark.
    """

    whose = forms.CharField(required=False, max_length=300, strip=False)
    subject = forms.CharField(required=False, max_length=230)
    subject_name = forms.CharField(required=False, max_length=200)
    zone = forms.CharField(required=False, max_length=64)
    dates = forms.ChoiceField(required=False, choices=[(key, key) for key in DATES])
    format = forms.CharField(required=False, max_length=64)
    imports = forms.BooleanField(required=False)

    def clean_zone(self) -> str:
        """Refuse a zone nobody knows."""
        zone: str = self.cleaned_data["zone"].strip()
        if zone:
            try:
                ZoneInfo(zone)
            except (ZoneInfoNotFoundError, ValueError, OSError):
                raise forms.ValidationError(
                    f"“{zone}” is no time zone we know. Write a name such as Europe/Berlin."
                ) from None
        return zone

    def clean(self) -> dict[str, Any]:
        """Bring together who speaks and who is meant."""
        cleaned = super().clean() or {}
        whose, text = cleaned.get("whose", ""), cleaned.get("subject", "").strip()
        kind, _, external_id = text.partition(":")
        if text and (kind not in KINDS or not external_id.strip()):
            self.add_error("subject", f"“{text}” is not of the form kind:id, as user:ana is.")
        elif text and whose == NOBODY and kind == "user":
            self.add_error(
                "subject",
                "A person is not the memory of a project or team. Write project:atlas, or choose "
                "who of those who speak it is.",
            )
        elif text and whose.startswith(SPEAKER) and kind != "user":
            self.add_error(
                "subject",
                "Somebody who speaks is a person, as user:ana is. For a project, choose nobody "
                "who speaks.",
            )
        return cleaned

    def choices(self) -> Choices:
        """Return what was chosen."""
        given = self.cleaned_data
        whose, text = given["whose"], given["subject"].strip()
        kind, _, external_id = text.partition(":")
        subject = SubjectRef(kind, external_id.strip(), given["subject_name"].strip())
        return Choices(
            subject=subject if text and whose != EVERYBODY else None,
            speaker=whose.removeprefix(SPEAKER) if whose.startswith(SPEAKER) else "",
            format=given["format"],
            zone=given["zone"],
            day_first=DATES[given["dates"]],
        )
