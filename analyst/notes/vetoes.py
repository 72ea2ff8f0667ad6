"""Hard reasons why a sentence is no standing rule of the user, whatever its words resemble."""

import re

from analyst.notes.text import BLANK, Sentence

_STRONG_STANDING = re.compile(
    r"\b(?:always|never|ever|from (?:now|here|today|this point) on|in future|going forward|by default|"
    r"as a rule|every ?time|"
    r"each time|for good|permanently|whenever|standing)\b",
    re.IGNORECASE,
)
_REQUEST_QUESTION = re.compile(r"\b(?:can|could|would|will) you\b", re.IGNORECASE)
_WHAT_IF = re.compile(
    r"^\W*(?:(?:and|but|so|ok|hm+|well)\b\W*)*(?:what if|suppose|supposing|imagine|let'?s (?:say|pretend|assume)|"
    r"how would|if we (?:were|had|did|took|used|left|dropped|moved|switched|counted)\b)|\b(?:one could|"
    r"we might|i might|some day)\b",
    re.IGNORECASE,
)
_THIRD = (
    r"(?:(?i:my|the|a|an|our|some|his|her|their|one) (?:[\w-]+ ){0,2}?"
    r"(?!column|field|file|table|value|code|status|flag|row|data|protocol|norm|standard|guideline|law|"
    r"contract|rule)[\w-]+"
    r"|(?i:he|she|they|somebody|someone|head office|management|marketing|finance|sales|people|others|legal|"
    r"hr)|[A-Z][a-z]+)"
)
_OTHERS_WISH = re.compile(
    rf"(?:^|[,;:.] |\b(?:and|but|because|as) ){_THIRD}(?: \w+ly| always| also| still| just| once| even|"
    rf" (?:in|from|of|at|over in)(?: the| our)? [\w-]+){{0,2}} "
    r"(?:wants|wanted|asks|asked|keeps? (?:asking|saying|floating|telling|pushing)|prefers|preferred|insists|"
    r"demands|demanded|"
    r"would (?:like|love|rather|prefer|always|never|have)|likes|loves|suggests|suggested|proposes|proposed|"
    r"says|said|swears|"
    r"thinks|believes|calculates|requires|recommends|used to|tells (?:me|us)|told (?:me|us))\b"
    r"|\b(?i:they|people|others|some) (?:want|ask|prefer|insist|like|say|think|demand|suggest)\b"
)
_ADOPTS = re.compile(
    r"\b(?:i|we) (?:fully |quite |do |both )?(?:agree|go along|share (?:that|this|it)|support|follow|adopt|"
    r"stick to|do the same|want (?:that|it|the same))\b"
    r"|\b(?:he|she|they)(?:'s| is|'re| are) (?:quite |absolutely )?right\b|\bso do (?:that|it|we|i)\b|"
    r"\bso (?:please|let'?s|from now)\b|\bthat'?s (?:our|my|the) (?:rule|norm|standard)\b"
    r"|\blet'?s (?:adopt|follow|stick|do (?:it|that)|use)\b|\b(?:applies|goes|holds) for (?:me|us)(?: too)?\b|"
    r"\b(?:mine|me|us) too\b|\bi'?ll take (?:that|it)\b|\band (?:so|that) (?:do|is what) (?:i|we)\b|"
    r"\b(?:i|we) (?:still |also |always )?(?:live by|go by|abide by|keep to|hold to|work by)\b|"
    r"\b(?:neither|nor) (?:do|will|would|should) (?:i|we)\b",
    re.IGNORECASE,
)
_ONE_OFF = re.compile(
    r"\b(?:just|only) (?:this|the) (?:once|one|time)\b|\bjust (?:for )?(?:now|once|today|this)\b|"
    r"\bonly (?:for )?(?:now|today|here|there|this (?:one|chart|table|slide|time|once))\b|"
    r"\bfor (?:now|today|once|the moment|a moment|the time being|fun|comparison|a change)\b|\bfor (?:this|"
    r"that|the next|tomorrow'?s|today'?s|friday'?s|monday'?s) (?:one|chart|table|slide|plot|question|time|"
    r"meeting|deck|report|picture|page|list)\b|"
    r"\bfor (?:this|that|the next|today'?s|tomorrow'?s) (?!file\b|data\w*|table\b|trial\b|study\b|survey\b|"
    r"project\b|group\b|column\b|"
    r"kind\b|sort\b|type\b|reason\b|purpose\b|customer\b|client\b|plant\b|company\b|register\b)\w+\b|"
    r"\bthis (?:once|time|one(?! (?:is|means|counts)))\b|\bone[- ](?:off|time)\b|\bexceptional\w*\b|"
    r"\b(?:just|only) (?:to (?:see|compare|check|know|try|look)|wondering|asking|curious)\b|"
    r"\b(?:just|only) in this\b|\bout of curiosity\b|\btemporar\w+\b|\b(?:appendix|slide|poster|tomorrow|today) only\b|"
    r"\bonly (?:in|for) the (?:appendix|slide|poster)\b|"
    r"\bfor a (?:minute|second|test|try|bit)\b|\buntil (?:tomorrow|friday|monday|the meeting)\b|"
    r"\bfor the (?:appendix|slide|meeting|poster|board deck|moment)\b",
    re.IGNORECASE,
)
_IRONY = re.compile(
    r"\byeah,? right\b|\boh,? sure\b|\b(?:ha|haha|lol|rofl)\b|^(?:sure|of course|great idea|brilliant|"
    r"wonderful|fantastic|why not)\b[,.!]? (?:and|let'?s|we|always|why|just|because|next|then)\b|"
    r"\bwhile (?:we're|you're|we are|you are) at it\b|\bcomic sans\b|[;:]-[)D]|🙃|😉|😜|\b(?:kidding|joking|"
    r"just a joke|sarcas\w+|not serious)\b",
    re.IGNORECASE,
)
_BACK_TO_NORMAL = re.compile(
    r"\b(?:after (?:this|that)|afterwards|then)\b.{0,25}\b(?:back|normal\w*|usual)\b|\bback to (?:normal|"
    r"the usual|whatever)\b",
    re.IGNORECASE,
)
_ALL_QUOTED = re.compile(r"^[\"'].*[\"'][.!?]?$")
_NAMES_QUOTE = re.compile(
    rf"\b(?:call|title|label|name|write|say|put|word|headline)\b(?: \w+){{0,4}}:? [\"'“]{BLANK}", re.IGNORECASE
)
_TASK = re.compile(
    r"^\W*(?:\d+[.)]\s*|then,? |please |question \d+: )?(?:calculate|compute|perform|create a|generate|"
    r"determine|identify|conduct|evaluate|"
    r"investigate|explore|analy[sz]e|derive|find|test whether|split the (?:data|set)|use (?:linear|logistic|\d+%))",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"\bin (?:the|my|our|that|his|her) (?:other|old|previous|last|former) (?:file|table|project|company|job|"
    r"dataset|archive|team|hospital|school|firm)\b|\bnot (?:for|in) this (?:file|table|data|one)\b",
    re.IGNORECASE,
)
_TAKES_BACK = re.compile(
    r"^\W*(?:(?:oh|ok|okay|no|well|please|sorry|actually|and|but)\b\W*)*(?:forget|scrap|never ?mind|strike|"
    r"undo|cancel|withdraw|"
    r"ignore (?:that|what i|my (?:last|previous|earlier))|i take (?:that|it) back|you can stop|stop (?:that|"
    r"doing that)|i(?:'ve)? changed my mind)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^\W*(?:(?:and|but|so|ok|okay|hm+|well|right|good|great|fine|thanks|interesting|cool|nice|now|then|also|no|yes|"
    r"or|alright)\b\W*)*(?:(?:why|who|whose|which|how)\b|what about\b|"
    r"(?:what|when|where)(?:'s| (?:\w+ )?"
    r"(?:is|are|was|were|do|does|did|has|have|had|would|will|could|happen\w*|about)\b)"
    r"(?! (?:we|i) (?:call|mean|say|count)\b)|"
    r"(?:is|are|was|were|does|did|has|had|can|could|would|will|shall)(?:n't)? "
    r"(?:the|a|an|it|that|this|there|they|we|you|i|he|she|[a-z]+ \w+)\b|"
    r"(?:do|have) (?:we|you|they|i|these|those|the)\b)",
    re.IGNORECASE,
)
_TAGGED = re.compile(
    r"\b\w+,? (?:is|are|was|were|has|have) .*[\w,] (?:right|correct|isn't it|aren't they)\W*$|"
    r", (?:right|yes|no|correct)$",
    re.IGNORECASE,
)
"""Statements that end like a question: "the column is in cm right"."""
_FRAGMENT = re.compile(
    r"^[\w' ,/-]*\b(?:by|per|of|for|in|since|last|this|against|vs|versus|and)\b[\w' ,/-]*[.!]?$", re.IGNORECASE
)
_RULES_SOMETHING = re.compile(
    r"\b(?:is|are|was|were|be|isn't|aren't|means?|meant|counts?|has|have|had|does|do|don't|doesn't|not|no|never|always|only|"
    r"without|please|pls|bitte|instead|rather|should|must|use|show|give|put|take|keep|leave|drop|exclude|skip|ignore|want|"
    r"need|like|prefer|enough|everywhere|anything|everything|every|each|all|alike|both|ever|whatever|runs?|starts?|begins?|"
    r"ends?|stays?|goes|go|stands?|refers?|denotes?|marks?|holds?|equals?|immer|künftig|nie|stets|"
    r"ab (?:jetzt|sofort)|weglassen|ohne|statt|comes?|belongs?|round\w*|sort\w*|on)\b|=",
    re.IGNORECASE,
)
_OFF_RECORD = re.compile(
    r"\b(?:don't|do not|no need to|needn't|never) (?:\w+ )?(?:remember|note|store|save|memori[sz]e|write down|record)\b"
    r"(?! (?:the |a |an )\w)|\boff the record\b|\bjust between (?:us|you and me)\b",
    re.IGNORECASE,
)
_REASON_ALONE = re.compile(r"^\W*(?:(?:and|well|no|oh|ok)\b\W*)*(?:because|since when|due to)\b", re.IGNORECASE)
"""A reason belongs to a rule and is none by itself."""
_ORDERS_FIGURES = re.compile(
    r"^\W*(?:(?:and|now|then|ok|good|so)\b\W*)*(?:[\w'-]+ ){1,4}(?:per|by|for each|of the|for the) [\w'-]+(?: [\w'-]+)?"
    r"(?:,? (?:please|pls|then|now))+\W*$",
    re.IGNORECASE,
)
"""What asks for figures now: "No-show rates per clinic, please."."""
_PASSING = re.compile(
    r"^[^;:]*\b(?:is|are|was|were|has been|have been|got|being)\b[^;:]*\bsince (?:last |this |the )?\w+\W*$",
    re.IGNORECASE,
)
_MOST_FRAGMENT_WORDS = 9


def asks(text: str) -> bool:
    """Whether a sentence asks although it has no question mark: "why is C low", "visitors by month"."""
    if _ASKS.search(text):
        return True
    if _TAGGED.search(text):
        return True
    fragment = len(text.split()) <= _MOST_FRAGMENT_WORDS and _FRAGMENT.search(text)
    return bool(fragment) and not _RULES_SOMETHING.search(text)


def adopts(text: str) -> bool:
    """Whether the speaker makes somebody else's rule his own."""
    return bool(_ADOPTS.search(text))


def standing(text: str) -> bool:
    """Whether a sentence says outright that it holds for more than now."""
    return bool(_STRONG_STANDING.search(text))


def back_to_normal(text: str) -> bool:
    """Whether a sentence ends an exception."""
    return bool(_BACK_TO_NORMAL.search(text))


def is_task(text: str) -> bool:
    """Whether a sentence orders an analysis; what its message adds then belongs to that analysis."""
    return bool(_TASK.search(text))


def veto(item: Sentence, follow: Sentence | None = None) -> str | None:
    """Return why a sentence cannot be a rule of the user, or None."""
    text = item.read
    if (item.question or asks(text)) and not (standing(text) and _REQUEST_QUESTION.search(text)):
        return "question"
    if _TAKES_BACK.search(text):
        return "taken back"
    if _WHAT_IF.search(text):
        return "hypothetical"
    if _IRONY.search(text):
        return "irony"
    if _ONE_OFF.search(text) or back_to_normal(text):
        return "one-off"
    if _OFF_RECORD.search(text):
        return "off the record"
    if (_PASSING.search(text) or _REASON_ALONE.search(text)) and not standing(text):
        return "passing"
    if _ORDERS_FIGURES.search(text) and not standing(text):
        return "request"
    if _ELSEWHERE.search(text):
        return "elsewhere"
    adopted = adopts(text) or (follow is not None and adopts(follow.read))
    if _OTHERS_WISH.search(text) and not adopted:
        return "somebody else"
    if (BLANK in text or _ALL_QUOTED.match(text)) and not adopted and not _NAMES_QUOTE.search(text):
        return "quoted"
    return None
