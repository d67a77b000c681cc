"""What the import pages call formats, states and reasons."""

from workbench import vocabulary

FORMATS = {
    "chatgpt": "ChatGPT export",
    "claude": "Claude export",
    "claude_code": "Claude Code session",
    "csv": "table (CSV)",
    "langchain": "LangChain messages",
    "letta": "Letta agent",
    "locomo": "LoCoMo",
    "mem0": "mem0 memory",
    "openai_jsonl": "OpenAI chats",
    "slack": "Slack export",
    "whatsapp": "WhatsApp chat",
}
PASSED_OVER = {
    "other_branch": "on a branch that was left",
    "hidden": "not shown to the person",
    "reasoning": "a model's thoughts",
    "without_words": "without words",
    "side_conversation": "between models",
    "removed": "removed in the conversation itself",
    "event": "no words of anybody, such as somebody joining",
}
TONES = {
    "done": "live",
    "failed": "rejected",
    "unreadable": "rejected",
    "discarded": "",
    "ready": "deferred",
}


def format_word(name: str) -> str:
    """Write a format's name as people know it."""
    return FORMATS.get(name, vocabulary.plain(name))
