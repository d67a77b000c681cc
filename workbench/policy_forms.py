"""What the forms of the policy page may say: validation only, no effect."""

from django import forms

from workbench import vocabulary


class RuleForm(forms.Form):
    """What both forms post: an id that makes a second press of the same form known."""

    request_id = forms.UUIDField()


class PolicyForm(RuleForm):
    """When a second person is needed, and when ended periods expire."""

    four_eyes = forms.ChoiceField(
        choices=[(word, label) for word, label, _ in vocabulary.FOUR_EYES],
        error_messages={"required": "Choose when a second person is needed."},
    )
    expire_after_days = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=36_500,
        error_messages={
            "invalid": "Write a number of days, or leave it empty.",
            "min_value": "Choose from 1 to 36,500 days, or leave it empty.",
            "max_value": "Choose from 1 to 36,500 days, or leave it empty.",
        },
    )
    blind_share = forms.IntegerField(
        min_value=0,
        max_value=100,
        error_messages={
            "required": "Write a share from 0 to 100 per cent.",
            "invalid": "Write a whole number from 0 to 100.",
            "min_value": "Choose from 0 to 100 per cent.",
            "max_value": "Choose from 0 to 100 per cent.",
        },
    )


class GuidelineForm(RuleForm):
    """What curators are asked to keep in mind."""

    markdown = forms.CharField(
        max_length=50_000,
        strip=False,
        error_messages={"required": "Write what curators should keep in mind."},
    )
