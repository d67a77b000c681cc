"""What the page of attributes may post: validation only, no effect."""

from django import forms

HOLDS: tuple[tuple[str, str], ...] = (("one", "One at a time"), ("many", "Many"))


class AttributeForm(forms.Form):
    """An attribute and how many of its values a subject may hold at a time.

    **Shape**: the key's form is the core's to check, so that there is one rule and one sentence.
    """

    key = forms.CharField(max_length=500, error_messages={"required": "Give it a key: home_city."})
    holds = forms.ChoiceField(
        choices=HOLDS,
        error_messages={"required": "Choose how many a subject may hold at a time."},
    )

    @property
    def single_valued(self) -> bool:
        """Whether one value at a time was chosen."""
        return bool(self.cleaned_data["holds"] == "one")
