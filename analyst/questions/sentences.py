"""Sort the sentences of a message: what is asked, how it shall be done, what shall hold from now on, what is code."""

import re
from dataclasses import dataclass

from analyst.questions.kinds import kind_of

_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "«": '"', "»": '"', "\u00a0": " "})
_ENUMERATED = re.compile(r"^\s*(?:question\s+)?\(?\d{1,2}\s*[.):]\s+|^\s*question\s+\d+\s*[:.]\s*|^\s*[-*•]\s+", re.I)
_FORMAT_LINE = re.compile(
    r"@\w+\s*\[.*?\][^\n]*|^\s*where\s+\"?\w+\"?(?:,? (?:and )?\"?\w+\"?)* (?:is|are) an? .*$", re.M
)
_SPLIT = re.compile(
    r"(?<=[?!;])\s+|(?<=[?!;])(?=[A-Z\"'])|\n+"
    r"|(?<=[a-z\d%)\"'\]_]\.)(?<!\bvs\.)(?<!\b[Ii]nc\.)(?<!\b[Cc]orp\.)(?<!\b[Ll]td\.)(?<!\b[Cc]o\.)(?<!\bno\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bapprox\.)(?<!\D\d\.)(?<!^\d\.)\s+(?=[A-Z\"'(0-9])"
    r"|(?<=[A-Z]{2}\.)\s+(?=(?:What|Which|Who|How|Is|Are|Does|Do|Calculate|Compute|Find|Determine|Report|Give|Then)\b)"
)

_SQL = re.compile(
    r"\b(?:SELECT\s+(?:\*|DISTINCT\b|count\s*\(|[\w\"'`(*].*?\bFROM\b)"
    r"|SELECT\s+[\w\"'().,+* ]+$|INSERT\s+INTO\b|UPDATE\s+[\w\".]+\s+SET\b"
    r"|DELETE\s+FROM\b|DROP\s+(?:TABLE|VIEW|SCHEMA|MACRO|DATABASE|INDEX)\b|ALTER\s+TABLE\b|TRUNCATE\s+(?:TABLE\s+)?\w+"
    r"|CREATE\s+(?:OR\s+REPLACE\s+)?(?:TEMP(?:ORARY)?\s+)?(?:TABLE"
    r"|VIEW|MACRO|FUNCTION|SCHEMA|SECRET|INDEX|TYPE|SEQUENCE)\b"
    r"|COPY\s+(?:\(|[\w\".]+\s+(?:TO|FROM)\b)|(?:ATTACH|DETACH)\s+(?:DATABASE\s+)?[\"'\w]"
    r"|INSTALL\s+\w+|LOAD\s+['\"\w]+\s*(?:;|$)"
    r"|PRAGMA\s+\w+|SET\s+(?:GLOBAL\s+|SESSION\s+|LOCAL\s+)?\w+\s*="
    r"|RESET\s+\w+|EXPORT\s+DATABASE\b|IMPORT\s+DATABASE\b|VACUUM\b"
    r"|CALL\s+\w+\s*\(|EXPLAIN\s+(?:ANALYZE\s+)?SELECT\b|WITH\s+\w+\s+AS\s*\(|UNION\s+(?:ALL\s+)?SELECT\b)",
    re.S,
)
_SQL_ANY_CASE = re.compile(
    r"\b(?:select\s+(?:\*|[\w\"'`(,.\s]+?)\s+from\s+\w+\s*(?:;|$"
    r"|where\b|limit\b)|drop\s+table\s+\w+|delete\s+from\s+\w+\s*(?:;"
    r"|$|where)"
    r"|insert\s+into\s+\w+\s*(?:\(|values)|union\s+(?:all\s+)?select\b"
    r"|read_(?:text|csv|parquet|blob|json)\w*\s*\(|glob\s*\()",
    re.I,
)
_SHELL = re.compile(
    r"(?:`[^`]*\b(?:rm|curl|cat|wget|bash|sh)\b[^`]*`|\$\([^)]*\)"
    r"|(?:&&|\|\||\|)\s*(?:rm|curl|cat|wget|sh|bash)\b.*|\brm\s+-rf?\b.*)"
)
_TAUTOLOGY = re.compile(
    r"\s+(?:OR|AND)\s+(?:\d+\s*=\s*\d+|'[^']*'\s*=\s*'[^']*'?|TRUE\b).*$|--\s*.*$|/\*.*?\*/", re.I | re.S
)

_LASTING = re.compile(
    r"\b(?:always|from now on|going forward|in (?:the )?future|by default"
    r"|as a rule|never (?:show|use|report|include|count)"
    r"|remember (?:that|to)|(?:please )?note that|for the record"
    r"|i (?:would |'d )?prefer\b|i like\b|i hate\b|i don't (?:like"
    r"|want|need)\b"
    r"|i (?:also )?(?:look after|am responsible|work (?:in|for|on"
    r"|with)|own)\b|we (?:always|usually|normally|never|define|count"
    r"|treat|call)\b"
    r"|leave (?:\w+ ){0,4}out\b|keep (?:\w+ ){0,4}in\b|(?:do not"
    r"|don't) (?:count|include|show) (?:\w+ ){0,4}(?:any ?more|again)"
    r"|instead of (?:week|month|day|quarter|year)|stop (?:showing|using|reporting))",
    re.I,
)
_DEFINITION = re.compile(
    r"^(?!.*\?)(?:sorry,? |no,? |actually,? )?(?:(?:in|for) (?:this"
    r"|our|the) \w+,? )?(?:an? |the |our )?[\w\s'\"-]{1,40}\b(?:means"
    r"|stands for|refers to|denotes)\b",
    re.I,
)
_INSTRUCTION = re.compile(
    r"^(?:please )?(?:use|using|calculating|computing|round(?:ing)?"
    r"|ignore|do not|don't|assume|consider|treat|convert|ensure|make sure"
    r"|keep all|set|define|apply"
    r"|exclude|count only|only (?:count|consider|use)|report|return"
    r"|provide|express|give|display|present|do this|[\"']?\w+[\"']? (?:should"
    r"|must|needs? to) |the population|the (?:variable|one|shapiro"
    r"|result|answer|output|correlation"
    r"|test|outliers?|calculation|desired|normali[sz]ation|median"
    r"|mean|missing values|computation|p-?value|significance|\w+ (?:should"
    r"|must|is calculated|are calculated))"
    r"|all (?:results|values|numbers|numerical|answers)|both (?:mean"
    r"|results|values|the)|results? |if |else|otherwise|an? (?:outlier"
    r"|value|data)|outliers? (?:should|are|is)"
    r"|values? |assess the (?:significance|normality|strength)|replace"
    r"|handle|be sure|for ties|note:|format|where |in case|when "
    r"|after|firstly|first,"
    r"|interpret|mean imputation|neglect|choose|add a (?:small )?constant"
    r"|should|must|with a|simple (?:moving|rolling)|rows? with|missing|population|determine the normality"
    r"|test whether|infer|null|conduct|perform (?:a |an |the )?(?:two"
    r"|one|independent|shapiro|t-?test|anova|kolmogorov)|skewness"
    r"|for skewness|no further|without|as )",
    re.I,
)
_STANDING = re.compile(
    r"^(?:please,? |and |also )*(?:(?:include|exclude|count|show|keep) .+ again$"
    r"|use .+ (?:for|as|when|instead of|by default)\b"
    r"|treat .+ as\b|round .+ to\b)",
    re.I,
)
"""Said alone, how something shall be done holds from now on."""
_BACK = re.compile(
    r"^(?:please,? |and |also |ok,? |well,? )*(?:(?:include|exclude|count|show|keep) .+ again$"
    r"|(?:forget|scrap|never ?mind|cancel|drop|withdraw|undo|lift) (?:about )?(?:the|my|that|our)\b.*"
    r"\b(?:rule|preference|grain|filter|exclusion|exclud\w+|request|wish|setting|weekly|daily|monthly|quarterly|yearly)\b)",
    re.I,
)
_SMALL_START = re.compile(r"(?<=[a-z]{3}\.)(?<!incl\.)(?<!excl\.)(?<!approx\.)(?<!dept\.)(?<!avg\.)\s+(?=[a-z])", re.I)
"""Where a sentence begins with a small letter: too often an abbreviation to cut there, but after a rule it is none."""
_RESTATED = re.compile(
    r"^(?:please )?(?:calculate|find|compute|determine|identify|count|test whether|check|create|convert)\b", re.I
)


@dataclass(frozen=True)
class Message:
    """A message by what its sentences do. All lists keep the order of the text."""

    asked: tuple[str, ...]
    instructions: tuple[str, ...]
    statements: tuple[str, ...]
    code: tuple[str, ...]


def sort_message(text: str) -> Message:
    """Cut a message into sentences and sort them. Code is set aside and never read as anything."""
    cleaned, code = _without_code(_FORMAT_LINE.sub(" ", text.translate(_QUOTES)))
    asked: list[str] = []
    instructions: list[str] = []
    statements: list[str] = []
    for sentence in _sentences(cleaned):
        lasting = _LASTING.search(sentence) or _BACK.search(sentence.rstrip("."))
        if (lasting and not sentence.endswith("?")) or _DEFINITION.search(sentence):
            statements.append(sentence)
        elif asked and _INSTRUCTION.search(sentence) and not sentence.endswith("?"):
            instructions.append(sentence)
        else:
            asked.append(sentence.rstrip("."))
    if asked and all(_STANDING.search(s) and not s.endswith("?") and kind_of(s) is None for s in asked):
        return Message((), (), (*statements, *asked, *instructions), tuple(code))
    if not asked and instructions:
        asked, instructions = instructions, []
    return Message(tuple(asked), tuple(instructions), tuple(statements), tuple(code))


def _sentences(text: str) -> list[str]:
    found = []
    for piece in (part for whole in _SPLIT.split(text) for part in _after_rule(whole)):
        sentence = _ENUMERATED.sub("", piece.strip().strip("{}").strip()).strip()
        if re.search(r"\w", sentence):
            found.append(sentence.rstrip(" ;,"))
    return found


def _after_rule(text: str) -> list[str]:
    """Cut a rule off from what follows it in small letters: "always exclude North. total revenue?"."""
    rule, *rest = _SMALL_START.split(text, maxsplit=1)
    return [rule, *rest] if rest and (_LASTING.search(rule) or _BACK.search(rule.rstrip("."))) else [text]


def _without_code(text: str) -> tuple[str, list[str]]:
    """The natural-language part of a text, and what was cut out as SQL or shell."""
    code: list[str] = []
    kept: list[str] = []
    for piece in re.split(r"(?<=;)", text):
        at = min((m.start() for p in (_SQL, _SQL_ANY_CASE, _SHELL) if (m := p.search(piece))), default=None)
        if at is not None:
            code.append(piece[at:].strip())
            piece = re.sub(
                r"\b(?:use|using|run|execute|via|with|and|then|also)\s*:?\s*$", "", piece[:at].rstrip(), flags=re.I
            )
        if not piece.lstrip().startswith("#"):
            bare = _TAUTOLOGY.sub("", piece) if ("=" in piece or "--" in piece or "/*" in piece) else piece
            if bare != piece:
                code.append(piece[len(bare) :].strip())
            kept.append(bare)
    return "".join(kept), code
