"""Every column that could hold somebody's words is emptied by an erasure, or said why not."""

import pytest
from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.search import SearchVectorField
from django.db.models import BinaryField, CharField, JSONField, TextField
from pgvector.django import VectorField

WORDY = (ArrayField, BinaryField, CharField, JSONField, SearchVectorField, TextField, VectorField)

# Emptied, deleted or written anew by `knowledge.commands.forgetting` or `workbench.places`; each
# is looked into by the canary test.
EMPTIED = {
    "extraction.FileImport": "choices error name preview problems sha256",
    "knowledge.AuditPayload": "body salt",
    "knowledge.Conversation": "external_id title",
    "knowledge.Decision": "note card_digest",
    "knowledge.Episode": "title narrative",
    "knowledge.ErasureRequest": "words note",
    "knowledge.Evidence": "quote",
    "knowledge.ExtractionRun": "error",
    "knowledge.Job": "error",
    "knowledge.Message": "external_id speaker_name text",
    "knowledge.PredictedStatement": "text",
    "knowledge.Proposal": "about attribute date_phrase original reason stale_reason text "
    "unexpected value",
    "knowledge.ProposalVector": "vector",
    "knowledge.SearchEntry": "lexemes text vector",
    "knowledge.ShadowCandidate": "text",
    "knowledge.Subject": "external_id name",
    "knowledge.Version": "about attribute slot_key text value",
    "sessions.Session": "session_data",
    "django_q.Failure": "result",
    "django_q.Success": "result",
    "django_q.Task": "result",
    "workbench.ApiKey": "name",
    "workbench.Draft": "fields",
}

# Words of the house, of people who work here, or no words at all: codes, identifiers, keyed
# hashes, numbers.
KEPT = {
    # What an endpoint can do, in words of this program about a status or a time-out alone.
    "extraction.FileImport": "folder state tally",
    "extraction.ModelEndpoint": "base_url last_error model refused_parameters role "
    "structured_output",
    "knowledge.Anchor": "hash place",
    "knowledge.Attribute": "key",
    "knowledge.AuditEvent": "action actor_id actor_kind channel commitment hash object_id "
    "object_type outcome prev_hash reason_code request_id",
    "knowledge.Batch": "kind",
    "knowledge.BlindAnswer": "reason_code verdict",
    "knowledge.Conversation": "source",
    "knowledge.Decision": "channel kind policy reason_code state_after state_before",
    "knowledge.ErasureRequest": "certificate digest kind manifest reason_code state",
    "knowledge.Evidence": "role",
    "knowledge.ExtractionRun": "arm embedder engine model predict_model prompt_version shown "
    "state usage",
    "knowledge.Gap": "kind",
    "knowledge.GuidelineVersion": "markdown",
    "knowledge.Job": "key kind payload progress state",
    "knowledge.Ledger": "genesis",
    "knowledge.Membership": "role",
    "knowledge.Message": "content_hmac kind",
    "knowledge.PolicyVersion": "four_eyes",
    "knowledge.PredictedStatement": "outcome rests_on",
    "knowledge.Proposal": "aside_reason criticality fingerprint flags kind_decided "
    "kind_suggested language memory_type modality start_basis state",
    "knowledge.ProposalVector": "model",
    "knowledge.SearchEntry": "message_ids model source",
    "knowledge.ShadowCandidate": "aside_reason flags kind modality",
    "knowledge.ShadowQuote": "role",
    "knowledge.Space": "name slug zone",
    "knowledge.Subject": "kind",
    "knowledge.Tombstone": "cause effect level value_key",
    "knowledge.Version": "criticality derivation end_reason language memory_type start_basis "
    "value_key",
    "workbench.ApiKey": "digest prefix scopes",
    "admin.LogEntry": "change_message object_id object_repr",  # users and groups alone
    "auth.Group": "name",
    "auth.Permission": "codename name",
    "auth.User": "email first_name last_name password username",
    "axes.AccessAttempt": "get_data http_accept ip_address path_info post_data user_agent username",
    "axes.AccessAttemptExpiration": "",
    "axes.AccessFailureLog": "http_accept ip_address path_info user_agent username",
    "axes.AccessLog": "http_accept ip_address path_info session_hash user_agent username",
    "contenttypes.ContentType": "app_label model",
    "django_q.Failure": "args attempt_count cluster func group hook id kwargs name",
    "django_q.OrmQ": "key lock payload",  # the number of a job
    "django_q.Schedule": "args cluster cron func hook intended_date_kwarg kwargs name "
    "schedule_type task",
    "django_q.Success": "args attempt_count cluster func group hook id kwargs name",
    "django_q.Task": "args attempt_count cluster func group hook id kwargs name",
    "sessions.Session": "session_key",
}


def wordy_columns() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for model in apps.get_models(include_auto_created=True):
        names = {column.name for column in model._meta.concrete_fields if isinstance(column, WORDY)}
        if names:
            found[model._meta.label] = names
    return found


@pytest.mark.parametrize("label", sorted(wordy_columns()))
def test_each_column_that_could_hold_words_is_emptied_or_named(label: str) -> None:
    emptied, kept = (set(where.get(label, "").split()) for where in (EMPTIED, KEPT))
    assert not emptied & kept
    unnamed = wordy_columns()[label] - emptied - kept
    assert not unnamed, f"say what an erasure does with {label}: {', '.join(sorted(unnamed))}"


def test_no_column_is_named_that_there_is_not() -> None:
    known = wordy_columns()
    ours = {
        label
        for label in (*EMPTIED, *KEPT)
        if label.split(".")[0] in ("extraction", "knowledge", "workbench")
    }
    for label in ours:
        named = set(EMPTIED.get(label, "").split()) | set(KEPT.get(label, "").split())
        assert named <= known[label], label
