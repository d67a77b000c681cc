"""The addresses of the screens."""

from django.urls import URLPattern, path

from workbench.views import (
    attributes,
    byhand,
    conversations,
    keys,
    queue,
    review,
    runs,
    statements,
)

urlpatterns: list[URLPattern] = [
    path("", queue.home, name="home"),
    path("queue/", queue.queue, name="queue"),
    path("queue/mine/", queue.my_decisions, name="my_decisions"),
    path("queue/<int:proposal_id>/", review.card, name="review"),
    path("queue/<int:proposal_id>/approve/", review.approve, name="approve"),
    path("queue/<int:proposal_id>/edit/", review.edit, name="edit"),
    path("queue/<int:proposal_id>/compare/", review.compare, name="compare"),
    path("queue/<int:proposal_id>/same/", review.same, name="same"),
    path("queue/<int:proposal_id>/same-waiting/", review.same_waiting, name="same_waiting"),
    path("queue/<int:proposal_id>/split/", review.split, name="split"),
    path("queue/<int:proposal_id>/send-back/", review.send_back, name="send_back"),
    path("queue/<int:proposal_id>/reject/", review.reject, name="reject"),
    path("queue/<int:proposal_id>/defer/", review.defer, name="defer"),
    path("queue/<int:proposal_id>/wake/", review.wake, name="wake"),
    path("queue/<int:proposal_id>/propose/", review.propose, name="propose"),
    path("decisions/<uuid:decision_id>/undo/", review.undo, name="undo"),
    path("messages/<int:message_id>/propose/", byhand.propose_words, name="propose_words"),
    path("statements/", statements.statements, name="statements"),
    path("statements/<int:statement_id>/", statements.statement, name="statement"),
    path("conversations/", conversations.conversations, name="conversations"),
    path("conversations/<int:conversation_id>/", conversations.conversation, name="conversation"),
    path("runs/", runs.runs, name="runs"),
    path("runs/<int:run_id>/", runs.run, name="run"),
    path("attributes/", attributes.attributes, name="attributes"),
    path("attributes/set/", attributes.set_attribute, name="set_attribute"),
    path("keys/", keys.keys, name="keys"),
    path("keys/create/", keys.create, name="create_key"),
    path("keys/<int:key_id>/revoke/", keys.revoke, name="revoke_key"),
    path("shortcuts/", queue.shortcuts, name="shortcuts"),
    path("shortcuts/switch/", queue.switch_keys, name="switch_keys"),
]
