"""What the keys page may post: validation only, no effect."""

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from knowledge.results import SubjectRef

MOST_SUBJECTS = 20
_SUBJECT = re.compile(r"(?P<kind>[a-z]+):(?P<id>\S.{0,199})")


class NewKeyForm(forms.Form):
    """A key about to be made. **Shape**: ``chosen`` joins ticked and typed subjects."""

    form_id = forms.UUIDField()
    name = forms.CharField(max_length=100, error_messages={"required": "Give the key a name."})
    subjects = forms.CharField(required=False, max_length=5_000)
    scopes = forms.CharField(required=False)
    days = forms.IntegerField(min_value=1, max_value=730)

    def __init__(self, data: Any, *, ticked: list[str], scopes: list[str]) -> None:
        super().__init__(data)
        self.ticked = ticked
        self.wanted_scopes = scopes

    def clean(self) -> dict[str, Any]:
        """Join the subjects and ask for what is missing."""
        cleaned = super().clean() or {}
        typed = [line.strip() for line in str(cleaned.get("subjects", "")).splitlines()]
        names = list(dict.fromkeys(name for name in [*self.ticked, *typed] if name))
        wrong = [name for name in names if not _SUBJECT.fullmatch(name)]
        if wrong:
            self.add_error("subjects", f"“{wrong[0]}” is not of the form kind:id, as user:ana is.")
        elif not names:
            self.add_error("subjects", "Choose or name at least one: a key reads nothing else.")
        elif len(names) > MOST_SUBJECTS:
            self.add_error("subjects", f"A key holds at most {MOST_SUBJECTS} subjects.")
        if not self.wanted_scopes:
            self.add_error("scopes", ValidationError("Choose what the key may do."))
        cleaned["chosen"] = names
        return cleaned

    def refs(self) -> list[SubjectRef]:
        """Return the chosen subjects."""
        parts = (name.partition(":") for name in self.cleaned_data["chosen"])
        return [SubjectRef(kind, external_id) for kind, _, external_id in parts]
