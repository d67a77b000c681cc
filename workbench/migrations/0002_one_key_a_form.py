"""The form a key was made with, so that a double click makes one key."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("workbench", "0001_api_keys")]

    operations = [
        migrations.AddField(
            model_name="apikey",
            name="form_id",
            field=models.UUIDField(null=True, unique=True),
        ),
    ]
