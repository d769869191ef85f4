"""Dates whose month is a word, in some twenty languages: said with English abbreviations."""

from __future__ import annotations

import re
from functools import lru_cache

from workbench.database import text_literal

_ENGLISH = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
WORDS = (
    "january januar januari jänner janvier janv enero ene gennaio gen janeiro styczeń stycznia sty "
    "leden ledna január ianuarie januára январь января янв січень січня ocak oca tammikuu "
    "tammikuuta ιανουάριος ιανουαρίου gener",
    "february februar februari feber février fevrier févr fevr febrero febbraio fevereiro fev "
    "februarie luty lutego lut únor února február februára февраль февраля фев февр лютий лютого "
    "şubat şub helmikuu helmikuuta φεβρουάριος φεβρουαρίου febrer febr",
    "march märz maerz mär mrz mars marzo março marco maart mrt marts marzec marca mart martie "
    "březen března marec március март марта мар березень березня maaliskuu maaliskuuta μάρτιος "
    "μαρτίου març",
    "april avril avr abril abr aprile kwiecień kwietnia kwi duben dubna apríl apríla április "
    "aprilie апрель апреля апр квітень квітня nisan nis huhtikuu huhtikuuta απρίλιος απριλίου",
    "mai mayo maggio mag maio mei maj maja květen května máj mája május май мая травень травня "
    "mayıs toukokuu toukokuuta μάιος μαΐου maig",
    "june juni juin junio giugno giu junho czerwiec czerwca cze červen června jún júna június "
    "iunie июнь июня июн червень червня haziran haz kesäkuu kesäkuuta ιούνιος ιουνίου juny",
    "july juli juillet juil julio luglio lug julho lipiec lipca lip červenec července júl júla "
    "július iulie июль июля июл липень липня temmuz tem heinäkuu heinäkuuta ιούλιος ιουλίου juliol",
    "august août aout agosto ago augustus augusti sierpień sierpnia sie srpen srpna augusta "
    "augusztus август августа авг серпень серпня ağustos ağu elokuu elokuuta αύγουστος αυγούστου "
    "agost",
    "september septembre sept septiembre settembre sett setembro set wrzesień września wrz září "
    "septembra szeptember septembrie сентябрь сентября сен сент вересень вересня eylül eyl syyskuu "
    "syyskuuta σεπτέμβριος σεπτεμβρίου setembre",
    "october oktober octobre octubre ottobre ott outubro out okt październik października paź "
    "říjen října október októbra octombrie октябрь октября окт жовтень жовтня ekim eki lokakuu "
    "lokakuuta οκτώβριος οκτωβρίου",
    "november novembre noviembre novembro listopad listopada listopadu lis novembra noiembrie "
    "ноябрь ноября ноя нояб kasım kas marraskuu marraskuuta νοέμβριος νοεμβρίου листопад листопада",
    "december dezember dez décembre decembre déc diciembre dic dicembre dezembro grudzień grudnia "
    "gru prosinec prosince decembra decembrie декабрь декабря дек грудень грудня aralık ara "
    "joulukuu joulukuuta δεκέμβριος δεκεμβρίου desembre",
)
"""The names of each month; English abbreviations need none. Croatian's are those of other months
elsewhere."""

ENGLISH_OF = {word: english for english, words in zip(_ENGLISH, WORDS) for word in words.split()}

_WORD = r"\p{L}{3,}\.?"
_BETWEEN = r"\s+(?:de|del|of)\s+"
_AFTER_A_DAY = r"(\d)(?:er|st|nd|rd|th|º|\.)(\s|,|$)"
_YEAR_SAID = r"\s*г\.?$"


def names_a_month(form: str) -> bool:
    """Whether a format of dates has the month as a word."""
    return "%b" in form or "%B" in form


def abbreviated(form: str) -> str:
    """The format that reads what `in_english` or `english_value` make of a cell."""
    return form.replace("%B", "%b")


@lru_cache(maxsize=4096)
def in_english(cell: str) -> str:
    """A date with its month in English; ordinals and words between day, month and year are left
    out.
    """
    said = re.sub(_YEAR_SAID, "", re.sub(_BETWEEN, " ", cell, flags=re.IGNORECASE))
    said = re.sub(_AFTER_A_DAY, r"\1\2", said)
    word = re.search(_WORD.replace(r"\p{L}", r"[^\W\d_]"), said)
    if word is None:
        return said.strip()
    name = word[0].rstrip(".").lower()
    return said.replace(word[0], ENGLISH_OF.get(name, name), 1).strip()


def english_value(cell: str) -> str:
    """The SQL of `in_english`."""
    said = f"regexp_replace(regexp_replace({cell}, '{_BETWEEN}', ' ', 'gi'), '{_YEAR_SAID}', '')"
    said = rf"regexp_replace({said}, '{_AFTER_A_DAY}', '\1\2', 'g')"
    word = f"regexp_extract({said}, '{_WORD}')"
    name = f"rtrim(lower({word}), '.')"
    known = ", ".join(f"{text_literal(one)}: '{english}'" for one, english in ENGLISH_OF.items())
    return f"trim(replace({said}, {word}, coalesce((MAP {{{known}}})[{name}], {name})))"
