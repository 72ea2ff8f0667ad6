"""Which of the one-byte encodings of Latin letters a text is in, by the letters that languages use."""

import re
import unicodedata

_LANGUAGES = {
    "cp1252": ("äöüß", "éèêëàâçîïôûùœæ", "áéíóúñü¿¡", "áâãàçéêíóôõú", "àèéìòù", "åäöæøéü", "ëïéèüöáó", "áéíóúýþæðö"),
    "cp1250": ("áčďéěíňóřšťúůýžľĺŕôä", "ąćęłńóśźż", "áéíóöőúüű", "ăâîşţ", "čćđšž", "äöüß"),
    "cp1254": ("çğıöşüİâî",),
    "cp1257": ("āčēģīķļņšūž", "ąčęėįšųūž", "äöõüšž"),
    "mac_roman": ("äöüß", "éèêëàâçîïôûùœæ", "áéíóúñü¿¡", "áâãàçéêíóôõú"),
    "cp850": ("äöüß", "éèêëàâçîïôûù", "áéíóúñü¿¡", "áâãàçéêíóôõú", "åäöæøé"),
}
"""Letters beyond ASCII of the languages of each encoding, the likeliest encoding first."""
_SURE, _SURE_OF_MANY = 0.9, 0.97
_SIGNS = frozenset("€£¥§°²³µ·–—‘’‚“”„…«»•±×®©™½¼¾ªº\xa0\xad")
_INNER_CAPITAL = re.compile(r"[a-zß-öø-ÿ][À-ÖØ-ÞŒŠŽŸČŘĎŤŇĚŮŁŚŹŻĆŃĄĘ]")
_RUN = re.compile(r"[^\x00-\x7f]{4,}")


def latin_encoding(sample: bytes) -> str | None:
    """The encoding in which the bytes beyond ASCII are best read as letters of one language; None where none is."""
    texts = {encoding: sample.decode(encoding, errors="replace") for encoding in _LANGUAGES}
    one = {e: max(_share(texts[e], letters) for letters in languages) for e, languages in _LANGUAGES.items()}
    mixed = {e: _share(texts[e], "".join(languages)) for e, languages in _LANGUAGES.items()}
    for shares, sure in ((one, _SURE), (mixed, _SURE_OF_MANY)):
        best = max(shares, key=lambda e: shares[e])  # the first of equals
        if shares[best] >= sure:
            return best
    return None


def _share(text: str, small: str) -> float:
    """The share of the characters beyond ASCII that are letters of the language where letters stand, or signs."""
    letters = frozenset(small + small.upper())
    beyond = sum(not c.isascii() for c in text)
    odd = sum(not c.isascii() and c not in letters and c not in _SIGNS for c in text)
    signs = sum(_between_letters(text, i) for i, c in enumerate(text) if c in _SIGNS)
    capitals = len(_INNER_CAPITAL.findall(text))
    runs = len(_RUN.findall(text))
    return max(0.0, 1.0 - (odd + signs + capitals + 4 * runs) / max(1, beyond))


def _between_letters(text: str, at: int) -> bool:
    """Whether a sign stands inside a word, where none belongs; quotation marks and hyphens may."""
    if text[at] in "’–—\xad\xa0·":
        return False
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    return (
        bool(after)
        and unicodedata.category(after).startswith("L")
        and (at == 0 or before.isalpha() or text[at] in "£¥²³")
    )
