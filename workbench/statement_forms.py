"""What the forms of a statement's page may say: validation only, no effect."""

from typing import Any

from django import forms

from workbench import vocabulary

BOTH = "both"


class StatementActForm(forms.Form):
    """What every decision about a statement posts: once, on the version that was seen."""

    request_id = forms.UUIDField()
    version_id = forms.IntegerField(min_value=1)
    opened_at = forms.DateTimeField(required=False)


class EndForm(StatementActForm):
    """An ending with one of its reasons; only the last asks for words."""

    reasons: tuple[tuple[str, str], ...] = ()

    note = forms.CharField(required=False, max_length=1000)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"] = forms.ChoiceField(choices=self.reasons)

    def clean(self) -> dict[str, Any]:
        """Ask for words where the reason is none of the named ones."""
        cleaned = super().clean() or {}
        if cleaned.get("reason") == "other" and not cleaned.get("note", "").strip():
            self.add_error("note", "Say why, in a few words.")
        return cleaned


class RetractForm(EndForm):
    """A withdrawal that calls nothing wrong."""

    reasons = vocabulary.RETRACT_REASONS


class RefuteForm(EndForm):
    """An ending because it was wrong."""

    reasons = vocabulary.REFUTE_REASONS


class MergeForm(StatementActForm):
    """A statement that is the same as another, in the version that was seen of it."""

    into = forms.IntegerField(min_value=1)


class SettleForm(StatementActForm):
    """The end of a contest. **Shape**: ``right`` is the version that was right, or ``both``."""

    right = forms.RegexField(rf"^([1-9]\d{{0,17}}|{BOTH})$")

    @property
    def right_version_id(self) -> int | None:
        """Return which side was right, None for both."""
        right = self.cleaned_data["right"]
        return None if right == BOTH else int(right)
