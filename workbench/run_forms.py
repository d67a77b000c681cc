"""What the form to run it again may say: validation only, no effect."""

from django import forms

ON, OFF = "on", "off"


class AgainForm(forms.Form):
    """Which engine is to read the same words again, and whether it predicts."""

    engine = forms.CharField(max_length=64, error_messages={"required": "Choose an engine."})
    prediction = forms.ChoiceField(
        choices=[(ON, "on"), (OFF, "off")],
        error_messages={
            "required": "Choose whether it predicts first.",
            "invalid_choice": "Choose whether it predicts first.",
        },
    )
    predict_model = forms.CharField(
        required=False,
        max_length=100,
        error_messages={"max_length": "A model’s name has at most 100 characters."},
    )
