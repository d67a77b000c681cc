"""What WhatsApp writes in place of words, or behind them, in the languages of its exports.

Where the sentence is not known, its shape is: a line that is wholly ``<…>``, a file name with
something in brackets behind it, a left-to-right mark before what the app wrote itself.
"""

import re
from dataclasses import dataclass

from extraction.importers.whatsapp_headers import without_marks

LRM = "\u200e"
MEDIA = "[media left out]"
DELETED = "[deleted]"


def _listed(sentences: str) -> frozenset[str]:
    """Take apart what stands one per line or between upright strokes."""
    found = (one.strip() for one in sentences.replace("\n", "|").split("|"))
    return frozenset(one for one in found if one)


_DELETED = _listed("""this message was deleted|you deleted this message|message deleted
    diese nachricht wurde gelöscht|du hast diese nachricht gelöscht
    se eliminó este mensaje|eliminaste este mensaje|este mensaje fue eliminado
    este mensaje se eliminó|ce message a été supprimé|vous avez supprimé ce message
    questo messaggio è stato eliminato|hai eliminato questo messaggio
    mensagem apagada|você apagou esta mensagem|esta mensagem foi apagada
    essa mensagem foi apagada|apagou esta mensagem|mensagem eliminada
    dit bericht is verwijderd|je hebt dit bericht verwijderd|u heeft dit bericht verwijderd
    bu mesaj silindi|bu mesajı sildiniz|данное сообщение удалено|это сообщение удалено
    вы удалили данное сообщение|вы удалили это сообщение|це повідомлення видалено
    ви видалили це повідомлення|ta wiadomość została usunięta|usunięto tę wiadomość
    tato zpráva byla smazána|tuto zprávu jste smazali|az üzenetet törölték
    tämä viesti poistettiin|poistit tämän viestin|det här meddelandet raderades
    du raderade det här meddelandet|denne besked blev slettet|denne meldingen ble slettet
    du slettede denne besked|du slettet denne meldingen|acest mesaj a fost șters
    αυτό το μήνυμα διαγράφηκε|διαγράψατε αυτό το μήνυμα|pesan ini telah dihapus
    anda telah menghapus pesan ini|mesej ini telah dipadam|tin nhắn này đã bị xóa
    تم حذف هذه الرسالة|حذفت هذه الرسالة|لقد حذفت هذه الرسالة|این پیام حذف شد
    הודעה זו נמחקה|מחקת הודעה זו|यह संदेश हटा दिया गया|यह संदेश मिटाया गया
    このメッセージは削除されました|このメッセージを削除しました|メッセージを削除しました
    此消息已删除|您已删除此消息|你删除了这条消息|此訊息已刪除|您已刪除此訊息|你已刪除此訊息
    삭제된 메시지입니다|이 메시지는 삭제되었습니다|이 메시지를 삭제했습니다|ข้อความนี้ถูกลบแล้ว
""")
_EDITED = _listed("""this message was edited|diese nachricht wurde bearbeitet|se editó este mensaje
    este mensaje fue editado|mensaje editado|ce message a été modifié|message modifié
    questo messaggio è stato modificato|mensagem editada|esta mensagem foi editada
    dit bericht is bewerkt|bu mesaj düzenlendi|данное сообщение изменено|сообщение изменено
    ta wiadomość została zmieniona|ta wiadomość została edytowana|tätä viestiä muokattiin
    det här meddelandet redigerades|denne meldingen ble redigert|beskeden blev redigeret
    pesan ini diedit|pesan ini telah diedit|تم تعديل هذه الرسالة|הודעה זו נערכה|ההודעה נערכה
    यह संदेश संपादित किया गया|このメッセージは編集されました
    此消息已编辑|此訊息已編輯|이 메시지는 수정되었습니다
""")
# "<Media omitted>": a whole line between angle brackets that is no tag and no heart.
_OMITTED = re.compile(r"<[^<>:/\d\n]{5,60}>")
_OMITTED_KINDS = re.compile(
    r"(?:image|video|audio|gif|sticker|document|contact card|video note|voice message) omitted"
    r"|(?:bild|video|audio|sticker|gif|dokument|kontaktkarte) weggelassen"
    r"|(?:imagen|audio|video|gif|sticker|documento|tarjeta de contacto) omitid[oa]"
    r"|(?:image|vidéo|audio|gif|sticker|document|fiche contact) (?:absente?|omise?)"
    r"|(?:immagine|video|audio|gif|sticker|documento|scheda contatto) omess[oa]"
    r"|(?:imagem|vídeo|áudio|gif|figurinha|documento|cartão do contato) (?:ocult|omit)\w{1,3}"
    r"|(?:afbeelding|video|audio|gif|sticker|document|contactkaart) weggelaten"
)
_OMITTED_ENDS = (
    *("omitted", "weggelassen", "omitida", "omitido", "absente", "absent", "omise", "omessa"),
    *("omesso", "ocultada", "ocultado", "oculta", "oculto", "weggelaten", "dahil edilmedi"),
    *("отсутствует", "опущено", "пропущено", "pominięto", "pominięty", "pominięta", "utelämnad"),
    *(
        "utelämnat",
        "udeladt",
        "utelatt",
        "jätetty pois",
        "省略されました",
        "已忽略",
        "已略去",
        "생략됨",
    ),
    *("di-skip", "tidak disertakan", "הושמט", "הושמטה", "محذوف", "غير مدرج", "छोड़ा गया"),
)
_ATTACHED = re.compile(r"<[^<>:\n]{1,30}:\s{0,2}([^<>/\\\n]{1,200}\.\w{1,5})>")
_FILE_BEFORE = re.compile(r"([^\n/\\<>]{1,200}\.\w{1,5})\s(?:•[^\n()]{1,40})?\([^()\n]{3,40}\)")
_TRAILING = re.compile(r"[ \t\u00a0]?<([^<>\n]{3,60})>$")
_HEADED = re.compile(
    r"[^\W\d_]{3,20}:"
)  # "POLL:", "Location:": a person's, though the app wrote it
_SHORT = 40
_LOOKED_AT = 400  # characters at the end where the note on an edit may stand


@dataclass(frozen=True, slots=True)
class Said:
    """What a message says.

    **Shape**: ``what`` is "words", "media", "deleted" or "system"; ``edited`` where the app noted
    that it was changed afterwards.
    """

    text: str
    what: str = "words"
    edited: bool = False


def said(body: str) -> Said:
    """Tell words from what the app put in their place, and take its notes off them."""
    marked = body.lstrip(" \u202f\u00a0").startswith(LRM)
    first, _, caption = body.partition("\n")
    line = _trimmed(first)
    if not caption.strip():
        found = _in_place_of_words(line, marked=marked)
        if found is not None:
            return found
    attached = _ATTACHED.fullmatch(line) or _FILE_BEFORE.fullmatch(line)
    if attached:
        words, edited = _unedited(caption)
        name = _trimmed(attached[1])
        text = f"[attached: {name}]" + (f"\n{words}" if words.strip() else "")
        return Said(text, what="media" if not words.strip() else "words", edited=edited)
    if _is_omitted(line, marked=marked):  # with a caption below
        words, edited = _unedited(caption)
        return Said(f"{MEDIA}\n{words}", edited=edited)
    words, edited = _unedited(body)
    if marked and not _HEADED.match(line) and "://" not in line:
        return Said(words.lstrip(LRM), what="system", edited=edited)
    return Said(words, edited=edited)


def _in_place_of_words(line: str, *, marked: bool) -> Said | None:
    if _sentence(line) in _DELETED:
        return Said(DELETED, what="deleted")
    if _is_omitted(line, marked=marked):
        return Said(MEDIA, what="media")
    return None


def _is_omitted(line: str, *, marked: bool) -> bool:
    if _OMITTED.fullmatch(line) or _OMITTED_KINDS.fullmatch(line.casefold()):
        return True
    # Behind the app's mark an ending is enough.
    return marked and len(line) <= _SHORT and line.casefold().endswith(_OMITTED_ENDS)


def _unedited(text: str) -> tuple[str, bool]:
    """Take the note on an edit off the end, and say whether there was one."""
    stripped = text.rstrip()
    tail = without_marks(stripped[-_LOOKED_AT:])
    match = _TRAILING.search(tail)
    if match is None:
        return text, False
    is_marked = stripped[: stripped.rfind("<")].endswith(LRM)
    if not is_marked and _sentence(match[1]) not in _EDITED:
        return text, False
    return stripped[: stripped.rfind("<")].rstrip(LRM + " \t\u00a0\u202f"), True


def _sentence(text: str) -> str:
    return " ".join(without_marks(text).casefold().split()).rstrip(".。!")


def _trimmed(text: str) -> str:
    return without_marks(text).strip()
