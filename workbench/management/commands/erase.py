"""`manage.py erase`: the dry run, the request and the confirmation of an erasure on a terminal."""

import json
import uuid
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from extraction import forgetting
from knowledge.commands import erasure
from knowledge.erasing.plan import Plan, plan_of
from knowledge.erasing.scope import ErasureScope
from knowledge.errors import KnowledgeError, NotFound
from knowledge.models import ErasureReason
from knowledge.queries import erasures
from knowledge.queries.scope import space_by_slug, subject_id_of
from knowledge.results import Actor
from workbench.acting_command import ActingCommand

MOST_TEXTS = 20


class Command(ActingCommand):
    """Shows what would go; with ``--ask`` asks for it; with ``--confirm``, as another, does it."""

    help = (
        "Forget a subject, a conversation, a statement or a value. Shows only what would go,"
        " unless told to ask or confirm. Examples:"
        " manage.py erase --space main --subject user:ana;"
        " manage.py erase --space main --subject user:ana --ask --by rosa"
        " --reason asked_by_subject;"
        " manage.py erase --confirm ID --by tom"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--space", help="short name of the space")
        parser.add_argument("--subject", help="whose memory, such as user:ana")
        parser.add_argument("--value", help="a value of that subject, instead of all of it")
        parser.add_argument("--statement", type=int, help="number of a statement")
        parser.add_argument("--conversation", type=int, help="number of a conversation")
        parser.add_argument(
            "--whole-conversations", action="store_true",
            help="take the words of others in the subject's shared conversations along",
        )  # fmt: skip
        parser.add_argument(
            "--learn-again",
            action="store_true",
            help="plant no tombstone against learning it again",
        )
        parser.add_argument("--ask", action="store_true", help="ask for it; another has to confirm")
        parser.add_argument("--confirm", metavar="ID", type=uuid.UUID, help="confirm and carry out")
        parser.add_argument("--withdraw", metavar="ID", type=uuid.UUID, help="close it undone")
        parser.add_argument("--by", help="the person who asks, confirms or withdraws")
        parser.add_argument("--reason", choices=ErasureReason.values, help="on whose account")
        parser.add_argument("--note", default="", help="why, in words; cleared afterwards")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do the one step that was asked for.

        **Raises**: CommandError with what to do.
        """
        try:
            if options["confirm"] or options["withdraw"]:
                self._close(options)
            else:
                self._look_or_ask(options)
        except KnowledgeError as error:
            raise CommandError(str(error)) from error

    def _look_or_ask(self, options: dict[str, Any]) -> None:
        plan = plan_of(_scope(options))
        self._show(plan)
        if not options["ask"]:
            self.stdout.write("Nothing was changed. Add --ask --by NAME --reason R to ask for it.")
            return
        if not options["reason"]:
            raise CommandError(f"Add --reason, one of {', '.join(ErasureReason.values)}.")
        erasure_id = erasure.ask(
            scope=plan.scope,
            reason_code=options["reason"],
            seen_digest=plan.digest,
            request_id=uuid.uuid4(),
            by=_person(options),
            now=timezone.now(),
            note=options["note"],
            blocks=not options["learn_again"],
        )
        self.stdout.write(
            f"Asked for. Another person confirms with: --confirm {erasure_id} --by NAME"
        )
        self.stdout.write(str(erasure_id))

    def _close(self, options: dict[str, Any]) -> None:
        by = _person(options)
        if options["withdraw"]:
            erasure.withdraw(erasure_id=options["withdraw"], by=by, now=timezone.now())
            self.stdout.write("Withdrawn. Nothing was erased.")
            return
        plan = plan_of(_scope_of(options["confirm"]))
        self._show(plan)
        erasure.confirm(
            erasure_id=options["confirm"], seen_digest=plan.digest, by=by, now=timezone.now()
        )
        certificate = forgetting.carry_out(options["confirm"])
        self.stdout.write(json.dumps(certificate, indent=2, ensure_ascii=False))

    def _show(self, plan: Plan) -> None:
        self.stderr.write(f"Erasing {plan.title} would empty:")
        for noun, number in plan.counts.items():
            if number:
                self.stderr.write(f"  {number:>8,}  {noun}")
        for row in plan.falling[:MOST_TEXTS]:
            self.stderr.write(f"  - {row.text}  [{row.subject}, {row.state}]")
        if len(plan.falling) > MOST_TEXTS:
            self.stderr.write("  …")
        if plan.staying:
            self.stderr.write(f"{len(plan.staying)} messages say the same words and would stay.")


def _scope(options: dict[str, Any]) -> ErasureScope:
    if not options["space"]:
        raise CommandError("Say where: --space NAME.")
    space_id = space_by_slug(options["space"]).id
    named = [name for name in ("subject", "statement", "conversation") if options[name]]
    if len(named) != 1:
        raise CommandError("Name one of --subject, --statement and --conversation.")
    kind = "value" if options["value"] else named[0]
    if kind == "value" and named[0] != "subject":
        raise CommandError("A value is a subject's: name it with --subject.")
    target = options[named[0]]
    if named[0] == "subject":
        target = subject_id_of(options["subject"], space_id=space_id)
    return ErasureScope(
        space_id=space_id,
        kind=kind,
        target_id=target,
        words=options["value"] or "",
        whole_conversations=options["whole_conversations"],
    )


def _scope_of(erasure_id: uuid.UUID) -> ErasureScope:
    space_id = erasures.space_of_erasure(erasure_id)
    row = erasures.erasure(erasure_id, space_id=space_id) if space_id else None
    if row is None:
        raise NotFound("There is no such erasure.")
    return ErasureScope(
        space_id=row.space_id,
        kind=row.kind,
        target_id=row.target_id,
        words=row.words,
        whole_conversations=row.whole_conversations,
    )


def _person(options: dict[str, Any]) -> Actor:
    person = User.objects.filter(username=options["by"] or "").first()
    if person is None:
        raise NotFound("Say who: --by NAME, a person made with add_user.")
    return Actor(kind="user", id=person.username, channel="command", user_id=person.pk)
