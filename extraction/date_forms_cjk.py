"""Date phrases of Chinese and Japanese, which need no spaces and put some prepositions behind."""

import re
from functools import partial

from extraction.date_forms import (
    UNREADABLE,
    Answer,
    Form,
    Moment,
    Reader,
    blocked,
    nearest_year,
    read_unresolved,
    relative,
)
from extraction.date_periods import (
    distance,
    exact_day,
    month_of,
    season_of,
    stretch,
    unit_around,
    weekday_near,
    year_of,
)

_DIGITS = {c: i for i, c in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2}
_N = r"(?:\d{1,6}|[〇零一二两三四五六七八九十百]{1,5})"
_YEAR = r"(?:(?:1[89]|20|21)\d\d|[一二][〇零九八][〇零一二三四五六七八九]{2})"

_DAYS = {
    "zh": {"大前天": -3, "前天": -2, "昨天|昨日|昨晚|昨夜": -1, "今天|今日|今晚|今早|今晨": 0}
    | {"大后天|大後天": 3, "后天|後天": 2, "明天|明日|明晚|明早": 1},
    "ja": {
        "一昨日|おととい|おとつい": -2,
        "昨日|きのう|昨夜|昨晩": -1,
        "今日|本日|今朝|今晩|今夜": 0,
    }
    | {"明後日|あさって": 2, "明日|あした": 1},
}
_YEARS = {
    "zh": {
        "大前年": -3,
        "前年": -2,
        "去年|上一年": -1,
        "今年|本年": 0,
        "明年|来年": 1,
        "后年|後年": 2,
    },
    "ja": {"一昨年|おととし": -2, "昨年|去年": -1, "今年|本年": 0, "来年|翌年": 1, "再来年": 2},
}
_TURNS = {
    "zh": {
        "上上[个個]?": -2,
        "上个?|上一个?": -1,
        "这个?|這個?|本": 0,
        "下[个個]?|下一[个個]?": 1,
        "下下[个個]?": 2,
    },
    "ja": {"先々": -2, "先": -1, "今": 0, "来": 1, "再来": 2},
}
_WEEK = {"zh": "周|星期|礼拜|週", "ja": "週"}
_WEEKDAY = {"zh": "[一二三四五六日天]", "ja": "[月火水木金土日]曜日?"}
_WEEKDAYS = {"zh": "一二三四五六日", "ja": "月火水木金土日"}
_UNITS = {"天": "day", "日": "day", "周": "week", "週": "week", "年": "year", "月": "month"}
_SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
_UNRESOLVED = {
    "zh": "最近|前几天|前些天|前阵子|不久前|很久以前|以前|小时候|几[天周年]前|几个月前"
    "|将来|总有一天|有一天",
    "ja": "最近|先日|この間|以前|昔|数[日週年]前|数[かヶカ]月前|いつか|子供の頃|そのうち|近いうち",
}
_RECURRING = {
    "zh": rf"每(?:隔)?(?:{_N})?个?(?:天|日|周|星期|礼拜|月|年)"
    "[一二三四五六日天]?",
    "ja": rf"毎(?:日|週|月|年|朝|晩)|(?:{_N})(?:日|週間|[かヶカ]月|年)(?:ごと|おき)",
}


def number(text: str) -> int:
    """Read a number in digits or in Chinese numerals: 23, 二十三, 二〇二三."""
    if text.isdecimal():
        return int(text)
    if "百" in text or "十" in text:
        hundreds, _, rest = text.partition("百") if "百" in text else ("", "", text)
        tens, ten, ones = rest.partition("十") if "十" in rest else ("", "", rest.lstrip("零〇"))
        value = 100 * (_DIGITS.get(hundreds, 1) if "百" in text else 0)
        return value + 10 * (_DIGITS.get(tens, 1) if ten else 0) + _DIGITS.get(ones, 0)
    return int("".join(str(_DIGITS[c]) for c in text))


def _full_year(text: str) -> int:
    year = number(text)
    return year if year > 99 else year + (2000 if year < 70 else 1900)


def _read_day(found: re.Match[str], moment: Moment) -> Answer:
    """Read 2023年5月7日 or 5月7日."""
    month, day_of_month = number(found["m"]), number(found["d"])
    if found["y"]:
        return exact_day(_full_year(found["y"]), month, day_of_month) or UNREADABLE
    if found["turn"]:
        year = _shifted_year(found["turn"], moment)
        return relative(exact_day(year, month, day_of_month))
    return nearest_year(lambda year: exact_day(year, month, day_of_month), moment)


def _read_month(found: re.Match[str], moment: Moment) -> Answer:
    """Read 2023年5月, 去年5月 or 5月."""
    month = number(found["m"])
    if found["y"]:
        return month_of(_full_year(found["y"]), month) or UNREADABLE
    if found["turn"]:
        return relative(month_of(_shifted_year(found["turn"], moment), month))
    return nearest_year(lambda year: month_of(year, month), moment)


def _read_season(found: re.Match[str], moment: Moment) -> Answer:
    season = _SEASONS[found["s"]]
    if found["y"]:
        return season_of(_full_year(found["y"]), season)
    if found["turn"]:
        return relative(season_of(_shifted_year(found["turn"], moment), season))
    return nearest_year(lambda year: season_of(year, season), moment)


def _shifted_year(word: str, moment: Moment) -> int:
    tables = (*_YEARS["zh"].items(), *_YEARS["ja"].items())
    return moment.today.year + next(v for p, v in tables if re.fullmatch(p, word))


def _read_year(found: re.Match[str], moment: Moment) -> Answer:
    return year_of(number(found["y"]))


def _read_turned_year(found: re.Match[str], moment: Moment) -> Answer:
    return relative(year_of(_shifted_year(found[0], moment)))


def _read_steps(found: re.Match[str], moment: Moment, *, steps: int, unit: str) -> Answer:
    return relative(unit_around(moment.today, unit, steps))


def _read_weekday(found: re.Match[str], moment: Moment, *, language: str) -> Answer:
    """Read 上周一, 先週の月曜日, or 周一 alone."""
    name = found["d"][0].replace("天", "日")
    weekday = _WEEKDAYS[language].index(name)
    if not found["t"]:
        direction = 1 if moment.lean == "future" else -1
        alone = weekday_near(moment.today, weekday, direction=direction)
        return relative(alone, ambiguous=not moment.lean)
    steps = next(v for p, v in _TURNS[language].items() if re.fullmatch(p, found["t"]))
    return relative(weekday_near(moment.today, weekday, weeks=steps))


def _read_counted(found: re.Match[str], moment: Moment, *, sign: int) -> Answer:
    """Read 三年前 or 两周后."""
    unit = _UNITS[found["u"][-1]] if "週間" not in found["u"] else "week"
    unit = "week" if found["u"] in {"星期", "礼拜"} else unit
    return relative(distance(moment.today, unit, sign * number(found["n"])))


def _read_run(found: re.Match[str], moment: Moment) -> Answer:
    """Read 过去三年, 最近两周, ここ3年."""
    unit = "week" if found["u"] in {"星期", "礼拜", "週間"} else _UNITS[found["u"][-1]]
    return relative(stretch(moment.today, unit, -number(found["n"])))


_UNIT = r"(?P<u>天|日|个?星期|个?礼拜|周|週間?|个?月|個月|[かヶカヵ]月|年)"


def _turned(language: str) -> list[tuple[str, Reader]]:
    shapes: list[tuple[str, Reader]] = []
    weekend = {"zh": "周末|週末", "ja": "週末"}[language]
    for turn, steps in sorted(_TURNS[language].items(), key=lambda item: -len(item[0])):
        guard = "(?<!再)(?<!先)" if language == "ja" else "(?<!上)(?<!下)"
        link = "の?" if language == "ja" else ""
        shapes += [
            (
                rf"{guard}(?:{turn}){link}(?:{weekend})",
                partial(_read_steps, steps=steps, unit="weekend"),
            ),
            (
                rf"{guard}(?:{turn})(?:{_WEEK[language]})(?![一二三四五六日天])",
                partial(_read_steps, steps=steps, unit="week"),
            ),
            (rf"{guard}(?:{turn})月", partial(_read_steps, steps=steps, unit="month")),
        ]
    return shapes


def forms_cjk(language: str) -> tuple[Form, ...]:
    """List the forms of Chinese (``zh``) or Japanese (``ja``)."""
    turn_year = "|".join(sorted(_YEARS[language], key=len, reverse=True))
    prefix = rf"(?:(?P<y>{_YEAR}|\d\d(?=年))\s*年\s*|(?P<turn>{turn_year})の?)?"
    turns = "|".join(sorted(_TURNS[language], key=len, reverse=True))
    week = _WEEK[language] if language == "zh" else "週の?"
    weekday_lead = rf"(?:(?P<t>{turns})(?:{week}))" + ("?" if language == "ja" else "")
    shapes: list[tuple[str, Reader]] = [
        (_RECURRING[language], blocked),
        (rf"{prefix}(?P<m>{_N})\s*月\s*(?P<d>{_N})\s*[日号號]", _read_day),
        (rf"{prefix}(?P<m>{_N})\s*月(?![前后後間])(?!份?以?[前后後])", _read_month),
        (rf"{prefix}(?P<s>[春夏秋冬])(?:天|季|休み)?(?![节節])", _read_season),
        (rf"(?P<y>{_YEAR})\s*年(?![间間半])", _read_year),
        (rf"(?P<n>{_N}){_UNIT}(?:以前|之前|前)", partial(_read_counted, sign=-1)),
        (rf"(?P<n>{_N}){_UNIT}(?:以后|之后|以後|之後|后|後)", partial(_read_counted, sign=1)),
        (rf"(?:过去|過去|最近|近|ここ)の?(?P<n>{_N}){_UNIT}", _read_run),
        (rf"{weekday_lead}(?P<d>{_WEEKDAY[language]})", partial(_read_weekday, language=language)),
        *_turned(language),
        (turn_year, _read_turned_year),
    ]
    if language == "zh":
        shapes.insert(
            -1,
            (
                rf"(?P<t>)(?:{week})(?P<d>{_WEEKDAY['zh']})(?!\d)",
                partial(_read_weekday, language="zh"),
            ),
        )
    for pattern, steps in _DAYS[language].items():
        shapes.append((pattern, partial(_read_steps, steps=steps, unit="day")))
    shapes.append((_UNRESOLVED[language], read_unresolved))
    return tuple((re.compile(pattern), reader) for pattern, reader in shapes)
