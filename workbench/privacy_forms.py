"""What the forms of the privacy pages may say: validation only, no effect."""

from typing import Any

from django import forms

from workbench import privacy_words

LONGEST_WORDS = 500
LONGEST_NOTE = 2000


class ScopeForm(forms.Form):
    """What is to be erased, as an address or a hidden field names it."""

    kind = forms.ChoiceField(choices=list(privacy_words.KINDS.items()))
    target = forms.IntegerField(min_value=1, max_value=2**63 - 1)
    words = forms.CharField(required=False, max_length=LONGEST_WORDS)
    whole = forms.BooleanField(required=False)


class AskForm(ScopeForm):
    """A request to erase what was seen. **Shape**: ``digest`` is the dry run's."""

    request_id = forms.UUIDField()
    digest = forms.RegexField(r"^[0-9a-f]{64}$")
    reason = forms.ChoiceField(
        choices=privacy_words.REASONS,
        error_messages={"required": "Choose on whose account it is erased."},
    )
    note = forms.CharField(
        required=False,
        max_length=LONGEST_NOTE,
        error_messages={"max_length": f"Write at most {LONGEST_NOTE:,} letters."},
    )
    blocks = forms.BooleanField(required=False)

    def clean(self) -> dict[str, Any]:
        """Ask for words where the reason is none of the named ones."""
        cleaned = super().clean() or {}
        if cleaned.get("reason") == "other" and not cleaned.get("note", "").strip():
            self.add_error("note", "Say in a few words why, so that others can follow.")
        return cleaned


class ConfirmForm(forms.Form):
    """The word of a second person. **Shape**: ``typed`` is the number, where one is asked for."""

    digest = forms.RegexField(r"^[0-9a-f]{64}$")
    typed = forms.CharField(required=False, max_length=20)

    def says(self, number: int) -> bool:
        """Tell whether the number that was typed is this one, with or without its comma."""
        typed: str = self.cleaned_data["typed"]
        return typed.strip().replace(",", "") == str(number)


class LiftForm(forms.Form):
    """The end of a tombstone, with its reason."""

    request_id = forms.UUIDField()
    note = forms.CharField(
        max_length=LONGEST_NOTE,
        error_messages={
            "required": "Say why it may be learned again.",
            "max_length": f"Write at most {LONGEST_NOTE:,} letters.",
        },
    )
