"""Phrases that tell the four modes apart, each a named feature of the mode head."""

import re

_ARTEFACT = (
    r"(?:pack|deck|report|tables?|charts?|series|steps|slides?|sheets?|paragraphs?|sections?|dashboard|figures|"
    r"notes?|document|review|sequence|procedure|edition|format|layout|battery|playbook|checklist|numbers|plots|"
    r"summary|memo|bulletin|study|lists?|tests|checks|cuts|queries)"
)
_COUNT = r"(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|\d+)"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)"
)
_PERIOD = (
    rf"(?:{_MONTH}|q[1-4]|h[12]|20\d\d|spring|summer|autumn|fall|winter|season|month|quarter|week|"
    r"half-?year|year-?end)"
)
_PAST = r"(?:prior|earlier|previous|old|former|past|last|existing|original|first|spring|before)"
_BODY = (
    r"(?:findings?|conclusions?|results?|notes?|analys[ei]s|work|study|answers?|statements?|numbers|history|memory|"
    r"views?|insights?|story)"
)

CUES: dict[str, str] = {
    "fresh_start": (
        r"\b(?:start(?:ing|ed)? (?:\w+ )?(?:over|afresh|anew|fresh|clean|again|new)|from (?:scratch|zero|"
        r"square one|nothing|the ground)|clean (?:slate|sheet|start)|(?:blank|empty) (?:slate|page|sheet)|"
        r"fresh (?:start|"
        r"analysis|look|eyes?|view|take|pass|reading)|(?:brand[- ]?)?new analysis|square one|restart|reset|anew|"
        r"afresh|tabula rasa)\b"
    ),
    "fresh_first_time": (
        r"\b(?:day (?:one|zero)|first time|as (?:though|if) (?:nobody|no one|you|we|it|today|this|nothing)|"
        r"outsider|stranger|newcomer|(?:someone|somebody|a person|anyone) (?:new|who|with no|without)|walk\w* in|"
        r"second (?:pair of eyes|opinion)|knows? nothing|open (?:eyes|mind)|no (?:baggage|preconceptions?|prejudice|"
        r"bias)|no peeking|unbiased|own (?:view|reading|opinion|mind)|never (?:ever )?(?:saw|seen|read|heard|"
        r"met)|hasn'?t (?:read|seen)|without (?:looking|reading|knowing|reference|regard))\b"
    ),
    "fresh_discard": (
        r"\b(?:ignore|disregard|forget|discard|drop|scrap|bin|dump|toss|throw (?:out|away)|wipe|erase|void|"
        r"set aside|put aside|withdr[ae]wn?|retract\w*|don'?t (?:reuse|use|carry|look at|rely|set out)|"
        r"nothing (?:carried|from|on file)|leave (?:behind|aside))\b"
    ),
    "fresh_body": (
        rf"\b(?:{_PAST} (?:\w+ )?{_BODY}|what(?:ever)? (?:you|we) (?:know|knew|said|say|concluded|found|think|"
        rf"thought|have)|every(?:thing|thing we| earlier| previous)|all (?:of )?(?:it|that|this|prior)|"
        rf"ignore prior)\b"
    ),
    "fresh_distrust": (
        r"\b(?:(?:don'?t|do not|no longer|can'?t|cannot|won'?t|never) (?:\w+ )?(?:trust|believe|apply|applies|"
        r"accept|hold|exists?|survives?|rely)|nothing (?:\w+ ){0,3}applies|meaningless|poison\w*|invalid\w*|"
        r"obsolete|unproven|worthless|garbage|tainted|compromised|contaminated|biased|agenda|wrong (?:currency|"
        r"unit|units|file|data|way)|backwards|useless|void|moot|doubt (?:a|any|that any|every))\b"
    ),
    "fresh_replaced": (
        r"\b(?:replac\w+|migrat\w+|renamed|recounted|restated|merged|converted|corrected|re-?weighted|"
        r"recalibrat\w+|rebuilt|re-?coded|re-?stitched|re-?mapped|re-?defined|moved (?:to|over|billing|systems?|"
        r"everything)|switched (?:to|over|from)|changed (?:hands|owner|system|vendor|supplier)|bought|acqui\w+|"
        r"took over|new (?:system|vendor|owner|till|pms|erp|crm|hris|tracker|sensor|provider|definition|id|ids|"
        r"schema|tool|platform|tracking|codes?)|different (?:country|company|system|network|product|definition|"
        r"population)|were in (?:miles|feet|cents)|cleaned)\b"
    ),
    "extend_verb": (
        r"\b(?:extend\w*|expand\w*|dig(?:ging)?|drill\w*|deeper|further|keep going|carry on|continue|"
        r"follow(?:ing)? up|build(?:ing)? on|next (?:step|up|thing|question|field|factor)?:?|more on|"
        r"go(?:ing)? on (?:with|to|from)|take it from (?:here|there)|elaborate|zoom|push on|break (?:it|that|"
        r"this|them) down|split (?:it|that|this|them)|pick up|go(?:ing)? (?:a bit )?(?:further|beyond|past|"
        r"deeper))\b"
    ),
    "extend_accept": (
        r"^(?:ok(?:ay)?|fine|good|great|right|so|now|yes|yep|noted|agreed|granted|understood|sure|alright|well|"
        r"given|since|knowing)\b"
    ),
    "extend_granted": (
        r"(?:\bwe agree\b|\balready know\b|\bi know\b|\bgranted\b|\bgiven that\b|, (?:ok|fine|good|noted|agreed|"
        r"yes|right|done|understood|accepted|clear)\b|\b(?:is|it is|that'?s|are) (?:clear|settled|known|done|"
        r"established)\b|\bwe (?:have|got|know)\b|\bso it (?:is|isn'?t)|\bit is\.|\bkeep (?:everything|what|"
        r"all))"
    ),
    "extend_gap": (
        r"\b(?:never (?:\w+ )?(?:looked|used|asked|talked|touched|checked|got|examined|considered|opened)|"
        r"(?:haven'?t|hasn'?t|didn'?t|not) (?:\w+ )?(?:looked|used|asked|touched|tried|explored|examined|got)|"
        r"so far (?:we|you|it)|only (?:talked|looked|have|know|in passing|ever|the)|(?:left|missing) (?:is|"
        r"piece|out)|add(?:ed|ing)?|unexplored|untouched|new angle|fresh angle|another angle|side of it)\b"
    ),
    "extend_left": (
        r"\bwhat(?:'s| is| else| is there| remains?| have| haven't| has| hasn't| did)? (?:\w+ ){0,4}(?:left|"
        r"remains?|not "
        r"(?:yet )?(?:looked|tried|asked|covered|checked|examined|tested|explored)|missing|unexplained|open|"
        r"(?:looked|tried|asked|covered|examined|explored)\b.* yet)\b"
    ),
    "fresh_announced": (
        r"^\W*(?:(?:please|ok(?:ay)?|stop|right|now)\W+)*(?:(?:a |with a )?(?:clean|blank|empty|new) (?:slate|sheet|"
        r"page|start)|"
        r"(?:a )?fresh (?:start|look|eyes|analysis|view)|from (?:scratch|zero|the (?:top|ground up))|"
        r"start(?:ing)? (?:over|"
        r"afresh|anew|again|fresh)|begin(?:ning)? (?:again|anew|afresh)|anew|afresh|restart|reset|"
        r"square one)\s*[:;,.!–—-]"
    ),
    "extend_announced": (
        r"^\W*(?:(?:please|ok(?:ay)?|right|now)\W+)*(?:next|building on (?:it|that|this)|going on|further|deeper|"
        r"follow-?up|"
        r"on top of (?:it|that)|one (?:step|level) (?:further|deeper))\s*[:;,.!–—-]"
    ),
    "check_announced": (
        r"^\W*(?:(?:please|ok(?:ay)?|right|quick|now)\W+)*(?:sanity check|reality check|double[- ]?check|check|"
        r"re-?check|"
        r"re-?test|verification|to verify|to confirm|true or (?:false|not)|still true)\s*[:;,.!?–—-]"
    ),
    "extend_side": (
        r"(?:\b(?:what|how) about\b|\band the\b|\bper (?!cent)\w+|\bby \w+\?|\bsplit by\b|\bas well\b|"
        r"\bon top of\b|\balso\b|\btoo\b)"
    ),
    "asks_wh": (
        r"(?:^|[.,;:!?]\s+|\b(?:but|and|so|see|now) )(?:which|who|whose|why|where|when|what|wich|"
        r"how(?! about))\b"
    ),
    "asks_which": r"\b(?:which|who|whose|wich|why|where)\b",
    "asks_causes": r"\b(?:why|cause\w*|driv\w+|reasons?|because|explain\w*|come from|trace|behind|due to)\b",
    "asks_yes_no": (
        r"(?:^|[.,;:!?]\s+|\b(?:so|and|but) )(?:is|are|was|were|does|do|did|has|have|had|would|will|can|could|"
        r"should|am) (?!it\b.*\bor\b)(?:\w|')"
    ),
    "asks_or": r"\b(?:is|are|was) (?:it|that|this|those|they) (?:\w+ ){1,6}or\b",
    "check_verb": (
        r"\b(?:verif\w+|confirm\w*|double[- ]?check|re-?check|check|re-?test|validat\w+|re-?validat\w+|prove|"
        r"test (?:that|the claim|it)|back (?:it|that|this) up|make sure|make certain|defend|stand by|"
        r"one (?:honest )?test|sanity)\b"
    ),
    "check_still": (
        r"\b(?:still|stands?|holds?|held|hold up|remains?|unchanged|survives?|as (?:before|earlier)|like before|"
        r"(?:has|have|did) (?:\w+ ){1,5}(?:changed?|slipped|moved|shifted|stay\w*|faded?|gone)|any ?more|"
        r"any longer|nowadays|these days|at this point|as of|currently|up to date|to this day|even now|by now)\b"
    ),
    "check_truth": (
        r"\b(?:true|right or wrong|right|wrong|correct|real|yes or no|yes/no|valid|accurate|safe|sure|lucky|"
        r"luck|fluke|chance|coincidence|noise|accident)\b"
    ),
    "check_dispute": (
        r"\b(?:insists?|swears?|disputes?|disputing|claims?|liar|argues?|doubts?|doubtful|says?|questions?|"
        r"challeng\w+|contest\w*|drilling me|skeptical|sceptical|denies|told (?:me|us)|contradicts?|believes?)\b"
    ),
    "check_said": (
        r"\b(?:(?:we|you|i) (?:said|told|claimed|found|reported|wrote|published|had|put|quoted|measured)|"
        r"you told me|that was before|was before|used to|our (?:line|claim|number|figure|sentence))\b"
    ),
    "check_single": (
        r"\b(?:one test|one number|that (?:one|figure|number|claim|finding|sentence|statement|result)|"
        r"nothing more|nothing else|just that|only that|quick(?:ly)?|one sentence|the (?:multiple|gap|claim|"
        r"plateau|number|figure))\b"
    ),
    "check_new_data": (
        r"\b(?:(?:with|now|in|on|from|given) (?:the |this |that )?(?:new|latest|fresh|winter|summer|spring|"
        r"autumn|this|today|another)|this (?:year|quarter|month|season|harvest|week)'?s?|after\?|is in,|are in,)"
    ),
    "rerun_verb": (
        r"\b(?:re-? ?run\w*|re-? ?do|re-? ?play|re-? ?peat\w*|re-? ?fresh|re-? ?execute|re-? ?issue|"
        r"re-? ?produce|re-? ?generate|re-? ?create|re-? ?compute|roll forward|do it again|once more|"
        r"second time|one more time|same again)\b"
    ),
    "rerun_again": r"\bagain\b",
    "rerun_same": (
        rf"\b(?:same|identical\w*|unchanged|unaltered|verbatim|exactly (?:as|like|the)|precisely (?:as|like)|"
        rf"to the letter|all else equal|otherwise (?:unaltered|the same)|one[- ]to[- ]one|1:1|"
        rf"like[- ]for[- ]like|cut identically|in that order|same order|just the figures|as (?:always|usual|ever|"
        rf"you did|in the years|last|in {_MONTH})|(?:like|as) (?:last|{_MONTH}))\b"
    ),
    "rerun_usual": (
        r"\b(?:usual|standard|routine|regular|familiar|customary|the drill|monthly|weekly|quarterly|yearly|"
        r"annual|every (?:month|quarter|week|year)|each (?:month|quarter|week|year)|first of the month|"
        r"reporting day)\b"
    ),
    "rerun_artefact": rf"\b{_ARTEFACT}\b",
    "rerun_counted": (
        rf"\b(?:the |all |those |our |usual |same |these ){{0,3}}(?:{_COUNT}|all|every|whole|entire|each|"
        rf"full) (?:\w+ )?{_ARTEFACT}\b"
    ),
    "rerun_whole": (
        r"\b(?:the (?:whole|entire|full|complete) \w+|all of it|in its entirety|everything (?:you|we|from)|"
        r"the lot|top to bottom|start to finish|end to end|step by step|slide by slide|line by line|"
        r"by \w+ like)\b"
    ),
    "rerun_no_extras": (
        r"\b(?:no (?:extras?|additions?|changes?|new ideas|tweaks?|surprises|more and no less|inventions)|"
        r"nothing (?:added|new|changed|different|dropped)|without (?:adding|changing|touching|any (?:changes?|"
        r"additions?))|don'?t (?:add|change|extend|rethink|think|touch|alter|improve)|no need to (?:think|add|"
        r"change)|leave the \w+ (?:\w+ )?alone)\b"
    ),
    "rerun_period": (
        rf"(?:\b(?:for|on|over|onto|to|with|against) (?:the )?(?:\w+ )?{_PERIOD}\b|\b{_PERIOD}(?:'s)? (?:one|"
        rf"edition|version|{_ARTEFACT})|\b(?:last|previous|prior) (?:year|quarter|month|week|autumn|spring|"
        rf"summer|winter|time)'?s?\b)"
    ),
    "rerun_loaded": (
        rf"\b(?:(?:is|are|was|were|has|have)(?: been| now| all)? (?:loaded|closed|in|here|up|uploaded|imported|"
        rf"complete|ready|landed|done|out)|closed (?:last|yesterday|today)|{_PERIOD} (?:is|are|rows|closed|data|"
        rf"load|extract|tape)|overnight load|new extract|latest extract)\b"
    ),
    "rerun_due": (
        r"\b(?:due|deadline|noon|auditors?|regulator|archive|meeting|comparab\w+|log|record|overwrote|"
        r"overwritten|lost|cover|logo|watch(?:ing)?|board|hand(?:s|ed)? in)\b"
    ),
    "period": rf"\b{_PERIOD}\b",
    "percent": r"\d ?(?:%|percent|pct|points?|pp)",
    "negated": r"\b(?:no|not|don'?t|never|nothing|without|n't)\b",
    "again_negated": (
        r"\b(?:don'?t|do not|no|never|without|stop) (?:\w+ )?(?:extend|rethink|re-?run|repeat|dig|expand|"
        r"continue|start)\w*"
    ),
    "and_start": r"^(?:and|also|plus|then|but|what about|how about)\b",
}
_COMPILED = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in CUES.items()}


def cues_of(text: str) -> dict[str, bool]:
    """Return which cues a question holds; curly apostrophes and extra spaces do not matter."""
    plain = " ".join(text.replace("’", "'").split())
    return {name: bool(pattern.search(plain)) for name, pattern in _COMPILED.items()}
