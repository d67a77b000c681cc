"""Relative dates written out, so that a statement says the same tomorrow as today."""

import re
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from zoneinfo import ZoneInfo

from extraction.date_found import FoundDate, zone_named

_MONTHS = {
    "en": ("January February March April May June July August September October November December"),
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": (
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
    ),
    "it": (
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre"
        " dicembre"
    ),
}
_SEASONS = {
    "en": ("spring", "summer", "autumn", "winter"),
    "de": ("Frühling", "Sommer", "Herbst", "Winter"),
    "fr": ("printemps", "été", "automne", "hiver"),
    "es": ("primavera", "verano", "otoño", "invierno"),
    "it": ("primavera", "estate", "autunno", "inverno"),
    "zh": ("春天", "夏天", "秋天", "冬天"),
    "ja": ("春", "夏", "秋", "冬"),
}
# How a day, a month, a season and a year are written.
_PLAIN: Mapping[str, Mapping[str, str]] = {
    "en": {
        "day": "{d} {month} {y}",
        "month": "{month} {y}",
        "season": "{season} {y}",
        "year": "{y}",
    },
    "de": {
        "day": "{d}. {month} {y}",
        "month": "{month} {y}",
        "season": "{season} {y}",
        "year": "{y}",
    },
    "fr": {
        "day": "{d} {month} {y}",
        "month": "{month} {y}",
        "season": "{season} {y}",
        "year": "{y}",
    },
    "es": {
        "day": "{d} de {month} de {y}",
        "month": "{month} de {y}",
        "season": "{season} de {y}",
        "year": "{y}",
    },
    "it": {
        "day": "{d} {month} {y}",
        "month": "{month} {y}",
        "season": "{season} {y}",
        "year": "{y}",
    },
    "zh": {
        "day": "{y}年{m}月{d}日",
        "month": "{y}年{m}月",
        "season": "{y}年{season}",
        "year": "{y}年",
    },
    "ja": {
        "day": "{y}年{m}月{d}日",
        "month": "{y}年{m}月",
        "season": "{y}年の{season}",
        "year": "{y}年",
    },
}
# How each stands in a sentence; ``since`` and ``until`` may differ between a day and the rest.
_PHRASES: Mapping[str, Mapping[str, str]] = {
    "en": {
        "day": "on {}",
        "month": "in {}",
        "season": "in {}",
        "year": "in {}",
        "week": "in the week of {}",
        "weekend": "on the weekend of {}",
        "about": "around {}",
        "since": "since {}",
        "until": "until {}",
        "by": "by {}",
        "after": "after {}",
        "before": "before {}",
        "between": "from {} to {}",
    },
    "de": {
        "day": "am {}",
        "month": "im {}",
        "season": "im {}",
        "year": "{}",
        "week": "in der Woche vom {}",
        "weekend": "am Wochenende vom {}",
        "about": "um den {}",
        "since": "seit {}",
        "since day": "seit dem {}",
        "until": "bis {}",
        "until day": "bis zum {}",
        "after": "nach {}",
        "after day": "nach dem {}",
        "before": "vor {}",
        "before day": "vor dem {}",
        "between": "von {} bis {}",
        "between day": "vom {} bis zum {}",
    },
    "fr": {
        "day": "le {}",
        "month": "en {}",
        "season": "en {}",
        "year": "en {}",
        "week": "la semaine du {}",
        "weekend": "le week-end du {}",
        "about": "vers le {}",
        "since": "depuis {}",
        "since day": "depuis le {}",
        "until": "jusqu\u2019en {}",
        "until day": "jusqu\u2019au {}",
        "after": "après {}",
        "after day": "après le {}",
        "before": "avant {}",
        "before day": "avant le {}",
        "between": "de {} à {}",
        "between day": "du {} au {}",
    },
    "es": {
        "day": "el {}",
        "month": "en {}",
        "season": "en {}",
        "year": "en {}",
        "week": "la semana del {}",
        "weekend": "el fin de semana del {}",
        "about": "hacia el {}",
        "since": "desde {}",
        "since day": "desde el {}",
        "until": "hasta {}",
        "until day": "hasta el {}",
        "after": "después de {}",
        "after day": "después del {}",
        "before": "antes de {}",
        "before day": "antes del {}",
        "between": "de {} a {}",
        "between day": "del {} al {}",
    },
    "it": {
        "day": "il {}",
        "month": "a {}",
        "season": "in {}",
        "year": "nel {}",
        "week": "nella settimana del {}",
        "weekend": "nel fine settimana del {}",
        "about": "verso il {}",
        "since": "da {}",
        "since day": "dal {}",
        "since year": "dal {}",
        "until": "fino a {}",
        "until day": "fino al {}",
        "until year": "fino al {}",
        "after": "dopo {}",
        "after day": "dopo il {}",
        "before": "prima di {}",
        "before day": "prima del {}",
        "between": "da {} a {}",
        "between day": "dal {} al {}",
    },
    "zh": {
        "week": "{}那一周",
        "weekend": "{}那个周末",
        "about": "{}前后",
        "since": "自{}起",
        "until": "到{}为止",
        "after": "{}之后",
        "before": "{}之前",
        "between": "{}到{}",
    },
    "ja": {
        "week": "{}の週",
        "weekend": "{}の週末",
        "about": "{}ごろ",
        "since": "{}から",
        "until": "{}まで",
        "after": "{}以降",
        "before": "{}より前",
        "between": "{}から{}まで",
    },
}
_COARSE = frozenset({"month", "season", "year"})


def absolute_text(text: str, dates: Iterable[FoundDate], zone: str) -> str:
    """Write the relative dates of a statement out ("on 7 May 2023"), leaving all
    else as it is.

    **Shape**: ``dates`` were found in the statement or in the words it came from; a phrase is
    replaced where the statement still holds it. Unresolved phrases stay; so does a day or month
    whose year nobody named ("her birthday is on 7 May"), since it means the same tomorrow.
    **Raises**: ``UnknownZone``.
    """
    clock = zone_named(zone)
    for found in sorted(dates, key=lambda d: d.start, reverse=True):
        if found.resolved and found.relative and not (found.yearless and found.ambiguous):
            text = _replaced(text, found, clock)
    return text


def _replaced(text: str, found: FoundDate, clock: ZoneInfo) -> str:
    start = _place(text, found)
    if start < 0:
        return text
    end = start + len(found.phrase)
    if re.match("['\u2019]s\\b", text[end:]):
        written, end = _possessive(found, clock), end + 2
    else:
        written = written_out(found, clock)
    if start == 0 and text[:1].isupper():
        written = written[:1].upper() + written[1:]
    return text[:start] + written + text[end:]


def _place(text: str, found: FoundDate) -> int:
    """Find a phrase where it was found, or else its first standing as whole words."""
    if text[found.start : found.end] == found.phrase:
        return found.start
    edge = "" if found.language in {"zh", "ja"} else r"\b"
    match = re.search(edge + re.escape(found.phrase) + edge, text, re.IGNORECASE)
    return match.start() if match else -1


def written_out(found: FoundDate, clock: ZoneInfo) -> str:
    """Write a resolved date as it stands in a sentence of its language."""
    language = found.language if found.language in _PLAIN else "en"
    phrases = _PHRASES[language]
    first, last, unit = _days(found, clock)
    grain = unit if unit in _COARSE else "day"
    whole = (_plain(first, grain, language), _plain(last, grain, language))
    if found.role == "between":
        return _phrase(phrases, "between", grain, *whole)
    if found.role == "since":
        word, shown = ("after", last) if found.exclusive else ("since", first)
        return _phrase(phrases, word, grain, _plain(shown, grain, language))
    if found.role == "until":
        lasting = "by" if found.phrase.lower().startswith("by ") else "until"
        word, shown = ("before", first) if found.exclusive else (lasting, last)
        return _phrase(phrases, word, grain, _plain(shown, grain, language))
    if unit == "stretch":
        return _part(found, first, last) or _phrase(phrases, "between", grain, *whole)
    if found.granularity == "week" and (last - first).days == 0:
        return phrases["about"].format(_plain(first, "day", language))
    return phrases.get(unit, "{}").format(_plain(first, grain, language))


def _part(found: FoundDate, first: date, last: date) -> str:
    """Write part of one month or year by its name, in English: "in late May 2023"."""
    grain = found.granularity
    same = (first.year, first.month) == (last.year, last.month)
    if found.language != "en" or grain not in {"month", "year"} or first.year != last.year:
        return ""
    if grain == "month" and not same:
        return ""
    after = last + timedelta(days=1)
    is_early = first.day == 1 and (grain == "month" or first.month == 1)
    is_late = after.day == 1 and (grain == "month" or after.month == 1)
    name = "early" if is_early else "late" if is_late else "the middle of"
    return f"in {name} {_plain(first, grain, 'en')}"


def _phrase(phrases: Mapping[str, str], word: str, grain: str, *shown: str) -> str:
    return phrases.get(f"{word} {grain}", phrases[word]).format(*shown)


def _possessive(found: FoundDate, clock: ZoneInfo) -> str:
    """Write "yesterday's call" as "the 9 May 2023 call"."""
    first, _, unit = _days(found, clock)
    grain = unit if unit in _COARSE else "day"
    shown = _plain(first, grain, "en")
    return f"the {shown} {unit}" if unit in {"week", "weekend"} else f"the {shown}"


def _days(found: FoundDate, clock: ZoneInfo) -> tuple[date, date, str]:
    """Give the first and the last day of a resolved date, and the unit it is written in."""
    if found.from_ is None or found.to is None:
        raise ValueError("an unresolved date cannot be written out")
    first = found.from_.astimezone(clock).date()
    last = found.to.astimezone(clock).date() - timedelta(days=1)
    return first, last, _unit(first, last, found.granularity)


def _unit(first: date, last: date, granularity: str) -> str:
    """Name the calendar unit a run of days is exactly; any other run is a stretch."""
    length = (last - first).days + 1
    after = last + timedelta(days=1)
    whole = {
        "day": length == 1,
        "week": length in {1, 7} and (length == 1 or first.weekday() == 0),
        "weekend": length == 2 and first.weekday() == 5,
        "month": first.day == 1 and after.day == 1 and length < 32,
        "season": first.day == 1 and after.day == 1 and 88 < length < 94,
        "year": (first.month, first.day, after.month, after.day) == (1, 1, 1, 1) and length < 367,
    }
    return granularity if whole.get(granularity) else "stretch"


def _plain(shown: date, grain: str, language: str) -> str:
    months = _MONTHS.get(language, "").split()
    number = "1er" if language == "fr" and shown.day == 1 else str(shown.day)
    return _PLAIN[language][grain].format(
        d=number,
        m=shown.month,
        y=shown.year,
        month=months[shown.month - 1] if months else "",
        season=_SEASONS[language][(shown.month // 3 - 1) % 4],
    )
