"""Phrases that tell a standing rule from a passing word, each a named feature of the note head."""

import re

CUES: dict[str, str] = {
    "standing": r"\b(?:always|never|ever|from (?:now|here|today|this point|then) on(?:wards?)?|"
    r"in (?:the )?futur\w*|going forward|by default|default|as a rule|in general|generally|every ?time|"
    r"each time|next time|whenever|for good|permanently|throughout|everywhere|wherever|henceforth|"
    r"for all (?:of )?(?:the |my |our |these )?|in all (?:of )?(?:the |my |our |these )?|in (?:every|each|"
    r"any)|of (?:mine|ours)|no matter|whatever we|until further notice|standing|keep (?:it|"
    r"that) (?:that way|like that)|make (?:that|it|this) (?:the|a|my|our) (?:\w+ )?(?:standard|default|"
    r"rule|habit)|allways|also later|that follows?|and after|what(?:ever)? (?:else )?we (?:do|look|"
    r"compare))\b",
    "from_now": r"\b(?:from (?:now|here|today|this point|then) on(?:wards?)?|in (?:the )?future|going forward|"
    r"henceforth|for good)\b",
    "always_verb": r"\balways (?!(?:been|was|were|is|are|had|the same|late|slow)\b)\w+|\bnever (?!(?:been|was|"
    r"is|had|liked|seen|understood)\b)\w+",
    "i_mean": r"\b(?:i|we) mean\b",
    "reverts": r"\b(?:after all|again)\b",
    "no_more": r"\bno more\b",
    "arithmetic": r"\b(?:plus|minus|divided by|times|less|sum of)\b|\w [-+/] \w",
    "broken": r"\b(?:broken|out of order|faulty|dead|stuck|failed|error|typo|silly|nonsense)\b",
    "german": r"\b(?:der|die|das|und|nicht|ist|bitte|mit|wir|ich|auf|bei|für|im)\b",
    "other_standing": r"\b(?:immer|nie(?:mals)?|künftig|in zukunft|ab (?:jetzt|sofort|heute)|grundsätzlich|"
    r"dauerhaft|überall|stets|toujours|jamais|désormais|siempre|nunca)\b",
    "other_please": r"\b(?:bitte|s'il (?:vous|te) pla[iî]t|por favor)\b",
    "other_no": r"\b(?:keine?[nrms]?|ohne|statt|nicht|weglassen|raus|nur)\b",
    "other_fact": r"\b(?:heißt|bedeutet|beginnt|ist|sind|bei uns|montags|dienstags|mittwochs|donnerstags|"
    r"freitags|samstags|sonntags)\b",
    "sums_up": r"\b(?:sum\w*|add(?:ed|ing)? up|double count\w*|can't add|per (?:household|person|user|case|"
    r"ticket|id))\b",
    "knows": r"\b(?:you should know|mind (?:that|the)|careful|background|fyi|by the way|btw|i forgot|"
    r"i should have said|to explain)\b",
    "let_us": r"\blet'?s\b",
    "alike": r"\b(?:alike|for all|in all|in anything|in everything|for everything|for anything|whatever|"
    r"all of (?:them|it)|like that|like this)\b",
    "never_no": r"^\W*(?:(?:and|but|so|please|pls|ok|okay|good|fine|right|also|oh|well|hi|no|"
    r"yes)\b\W*)*(?:no(?!-)|never|without|not|don'?t|do not|stop|avoid|nothing)\b(?=.{6})",
    "imperative": r"^\W*(?:(?:and|but|so|please|pls|ok|okay|good|fine|right|also|oh|then|now|just|better|"
    r"rather|well|yes|no|always|never|hi|thanks|thank you|kindly)\b\W*)*(?:use|show|give|report|"
    r"leave|drop|exclude|keep|count|treat|call|round|sort|order|write|put|make|don'?t|do not|stop|skip|"
    r"ignore|remove|filter|compare|start|begin|judge|join|match|convert|express|state|spell|plot|draw|"
    r"avoid|print|label|name|say|speak|take|cut|cap|split|group|read|assume|answer|present|list|display|"
    r"mark|flag|add|include|omit|weight|normalise|normalize|adjust|deduplicate|dedupe|merge|measure|work|"
    r"stick|set|tell|warn|hide|suppress|replace|translate|format|tag|sum|average|divide)\b",
    "remember": r"\b(?:remember|keep in mind|note for|for the record|note that|for next time|just so you know|"
        r"principle|policy|guideline|rule)\b",
    "dont_remember": r"\b(?:don'?t|do not|not) (?:\w+ )?(?:remember|note|store|save|keep)\b|"
        r"\bnot (?:meant )?as a (?:\w+ )?rule\b",
    "task": r"^\W*(?:\d+[.)]\s*)?(?:calculate|compute|perform|create|generate|determine|identify|conduct|"
    r"evaluate|investigate|explore|derive|find|consider|return|report|if the p-value)\b",
    "fresh_words": r"\b(?:again|scratch|start(?:ing)? over|fresh|same (?:steps|as)|deeper|dig|next:|more on|"
    r"build on|still|as before|usual)\b",
    "request": r"^\W*(?:(?:and|but|so|please|pls|ok|okay|good|fine|right|also|oh|then|now|"
    r"just)\b\W*)*(?:show|give|compute|calculate|list|plot|draw|compare|count|find|check|test|look|"
    r"tell|explain|summari[sz]e|split|group|break|zoom|try|run|redo|add|export|save|make|take|put|exclude|"
    r"filter|remove|drop|join|merge)\b",
    "request_please": r"^[^,;:]*(?:\b(?:per|by|of|for|in)\b[^,;:]*)?, (?:please|pls)\b[^,;:]{0,12}$",
    "number_fact": r"\b(?:is|are|was|were|has|have|had) (?:\w+ )?(?:\d|a|an|the|still|mostly|new|nice|high|"
    r"low|too)\b",
    "please": r"\b(?:please|pls|plz|kindly)\b",
    "no_fragment": r"(?:^|[,;:.] )(?:\w+ ){0,2}(?:no|without|only|not|never)\b",
    "instead": r"\b(?:instead|rather (?:than)?|not the|and not|over|, not)\b",
    "modal": r"\b(?:should(?:n'?t)?|must(?:n'?t)?|has to|have to|needs? to|ought|mustn'?t|may not|can'?t be|"
    r"cannot be|is to be|are to be|belongs?|goes?|go|stays?|stay)\b",
    "prefer": r"\bi(?:'d| would)? (?:\w+ )?(?:want|like|prefer|need|hate|love|read|can'?t (?:stand|read|see|"
        r"think)|don'?t (?:like|want|need|read|trust|believe)|find|rather|look at|work with|only|report|"
        r"publish|care)\b|\b(?:we|us) (?:always|never|only|publish|report|count|look|work|use|say|call)\b|"
        r"\b(?:for|to) (?:me|us|my|our)\b|\bmy (?:readers|board|boss|reports?|team|standard|rule|limit|"
        r"habit)\b|\b(?:house style|convention|our (?:style|format|rule|standard|word|convention))\b",
    "means": r"\b(?:(?<=\w )(?<!to )(?<!use )(?<!the )(?<!of )(?<!no )(?<!with )"
        r"means?(?! (?:for|it is|instead|after|again|and|or)\b)|meant|"
    r"defined?|definition|stands? for|denotes?|refers? to|equals?|(?:is|"
    r"are) (?:what|how|the (?:sum|same|number|ratio|difference))|call(?:ed)?|counts? (?:as|for|only|once|"
    r"per|every)|counted|count as|don'?t count|doesn'?t count|shouldn'?t count|consists?|includes?|"
    r"excludes?|covers?|holds?|contains?|represents?|treated as|is (?:stored|recorded|written|kept|"
    r"measured|dated|given|only))\b",
    "equals": r"(?:=|\bis\b|\bare\b)",
    "unit_fact": r"\b(?:in|per) (?:cents?|pence|minutes?|seconds?|hours?|kilos?|kilograms?|grams?|pounds?|"
    r"miles?|metres?|meters?|knots|thousands?|millions?|percent|litres?|local time|utc)\b|\b(?:cumulative|"
    r"running total|net of|gross|incl\w* (?:vat|tax)|vat|tax)\b",
    "row_is": r"\b(?:(?:one|each|every|a|an|the) (?:row|line|record|entry|visit|trip|case|piece|night|lead|"
    r"order|session|sale)s? (?:is|are|means|counts|belongs|can)|one row|several rows|per row|"
    r"same (?:place|person|case|branch|one|customer|thing))\b",
    "code": r"\b(?:code[sd]?|status|flag|type|category|class|stage|grade|score|value|kind|st|dept|plan|column|"
    r"field|sheet)\b.{0,15}(?:\d|'|\"|\b[A-Z]{1,3}\b)|-\d{1,5}\b|\b(?:9{2,5}|blank|empty|null|nulls|NA|"
    r"n/a|sentinel|placeholder|dummy|zeros?)\b",
    "calendar": r"\b(?:fiscal|financial year|school year|season|weeks? (?:\w+ )?(?:run|start|begin|end)s?|"
        r"(?:year|month|quarter|week|day|season)s? (?:\w+ )?(?:runs?|starts?|begins?|ends?|is|are)|iso weeks?|"
        r"every (?:year|summer|winter|spring|autumn|january|december|august)|each (?:year|summer|winter|"
        r"august|december)|closed (?:on|every)|calendar|pay ?day|holidays?|easter|christmas|ramadan|harvest|"
        r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?|(?:january|february|march|april|june|"
        r"july|august|september|october|november|december))\b",
    "key": r"\b(?:key|join|unique|reused|reissued|repeats?|duplicat\w*|match (?:on|by)|together with|"
    r"identif\w+|same number|valid one)\b",
    "here": r"\b(?:here|with us|for us|at our|in (?:our|this|that) \w+|we (?:call|say|count|mean|define)|"
    r"by \w+ we mean|our|(?:in|under) (?:this|our))\b",
    "format": r"\b(?:decimals?|digits?|round\w*|percent\w*|fractions?|thousands?|millions?|euros?|dollars?|"
    r"francs?|currency|comma|dot|bold|bullets?|tables?|short|sentences?|words?|language|german|english|"
    r"french|spanish|spelling|dates?|capitals?|emojis?|headings?|headers?|titles?|units?|abbreviat\w+|"
    r"notation|names?|ids?|initials?|celsius|kilomet\w+|24 hour|iso|rows?|columns?|totals?|source|sql|n)\b",
    "chart": r"\b(?:charts?|graphs?|bars?|lines?|pies?|ax[ei]s|colou?rs?|blue|red|green|grey|legends?|plots?|"
    r"scatter|heat ?maps?|log(?:arithmic)? scale|stacked|3d|box ?plots?|histograms?|figures?|diagrams?)\b",
    "method": r"\b(?:medians?|means?|averages?|p-?values?|intervals?|tests?|outliers?|t-test|significan\w+|"
    r"winsor\w+|trimmed|bootstrap|percentiles?|quartiles?|seasonal\w*|weighted|normalis\w+|per head|"
    r"per capita|inflation|spearman|pearson|holm|bonferroni|mann-whitney|effect|baseline|index|rates?|"
    r"bands?|groups?|bins?|classes|forecasts?|extrapolate|impute|guess\w*)\b",
    "exclude": r"\b(?:exclud\w+|leave \w+ (?:\w+ ){0,3}out|left out|leave out|drop|without|remove|skip|ignore|"
    r"filter|strip|omit|except|out of|take (?:them |it |those )?out|keep (?:them |it |those )?out|"
    r"suppress|hide|cut|only)\b",
    "grain": r"\b(?:daily|weekly|monthly|quarterly|yearly|hourly|annual|by (?:day|week|month|quarter|year)|"
    r"weeks|months|quarters|grain|granularity)\b",
    "compare": r"\b(?:compar\w+|versus|vs|against|baseline|year (?:over|on) year|same (?:week|month|period|"
    r"quarter)|year to date|trend)\b",
    "correction": r"^(?:no|nope|sorry|wrong|actually|careful|not quite|wait|hold on|you counted|"
    r"that'?s (?:not|wrong))\b|\b(?:wrong|incorrect|mistake|not how)\b",
    "whenever": r"\b(?:if|when|whenever|unless|where|once) (?:i|you|we|told|someone|a|an|the)\b",
    "reason": r"\b(?:because|since|so that|as|that'?s (?:what|how|our|the)|otherwise|my readers|i paste|"
    r"i forward|i get)\b",
    "question": r"\?\W*$",
    "wh_start": r"^\W*(?:(?:and|but|so|ok|right|good|fine|then)\b\W*)*(?:what|which|who|whose|why|where|"
    r"when|how)\b",
    "aux_start": r"^\W*(?:(?:and|but|so|ok|right|good|fine|then)\b\W*)*(?:is|are|was|were|do|does|did|has|"
    r"have|had|can|could|would|will|should|shall|may|might)\b",
    "oneoff": r"\b(?:just (?:this|for|the) (?:once|one|now|today|time|this)|this (?:once|time|one)|"
    r"only (?:this|for this|there|here|for today|for now|for the (?:slide|appendix|meeting|moment))|"
    r"for (?:now|today|once|the moment|a moment|this (?:one|chart|table|slide|plot|question|time)|"
    r"(?:tomorrow|friday|monday|the (?:slide|appendix|meeting|paper)))|one(?:-| )?off|one time|"
    r"exceptionally|today only|for fun|out of curiosity|curious\w*|temporarily|appendix|for comparison)\b",
    "hypothetical": r"\b(?:what if|if (?:we|you|it|they|one|the)|suppose|supposing|imagine|let'?s (?:say|"
    r"pretend|assume)|would|could|might|maybe|perhaps|some day|in theory|one could|hypothetic\w*|not sure|"
    r"thinking about|let me think)\b",
    "others": r"\b(?:my (?:boss|colleague|predecessor|manager|director|friend|husband|wife|brother|sister)|"
    r"(?:the|a|an|our|some|his|her|their) (?:\w+ )?(?:team|colleague|guy|auditors?|director|deputy|"
    r"consultants?|insurer|competitor|manager|agency|minister|press|paper|intern|ceo|cfo|board|sales|"
    r"marketing|finance|people|vendor|supplier|bank|trust|group|office|client)|head office|marketing|"
    r"finance|management|somebody|someone|some people|others|they|he|she|his|her|their|him|tom|"
    r"predecessor)\b",
    "others_want": r"\b(?:wants?|asks?|asked|asking|prefers?|insists?|demands?|would like|likes|suggests?|"
    r"proposes?|keeps? (?:asking|saying|floating)|says?|said|wishes|calculates|tells?|told|swears?|"
    r"thinks?|believes?|calls? it|requires?)\b",
    "adopts": r"\b(?:and (?:i|we) (?:agree|go along|do too|support)|i (?:agree|go along|share|support)|(?:he|"
    r"she|they)(?:'s| is|'re| are) right|so do (?:that|we|i)|so (?:please|let'?s|suppress|use|we)|"
    r"so that'?s (?:what|how)|i'?ll (?:adopt|take)|let'?s (?:adopt|do|follow|stick))\b",
    "irony": r"\b(?:ha|haha|lol|yeah,? right|oh sure|sure,|great idea|of course|brilliant|comic sans|as if|"
    r"wonderful)\b|[;:]-?\)|🙃|😉",
    "refuses": r"^(?:hm+,? )?(?:no|nope|nah|rather not|not (?:now|today|necessary|needed)|don'?t bother|"
    r"leave it|forget it|never mind|i don'?t think so|no need)\b.{0,25}$",
    "past": r"\b(?:used to|in the past|last (?:year|month|week|time)|back then|was|were|had|did|before|"
    r"formerly|previously|yesterday|broke|happened|opened|went|came|got)\b",
    "elsewhere": r"\b(?:other (?:file|table|project|company|dataset|team|hospital|archive)|old (?:company|job|"
    r"system|archive)|elsewhere|not (?:here|this)|the (?:paper|manual|handbook|note|comment|review|cell|"
    r"text)s? (?:says?|said)|somewhere)\b",
    "guess": r"\b(?:guess|probably|i think|i suppose|looks like|it seems|i bet|presumably|must be the|may be)\b",
    "self": r"\bi'?(?:m|ll|ve)\b|\bi (?:have|am|will|was|saw|need|forgot)\b",
    "quoted": r"['\"\u2026]",
    "number": r"\d",
    "dataset_word": r"\b\w+_\w+\b",
    "short": r"^\W*\w+(?:\W+\w+){0,2}\W*$",
    "long": r"^\W*(?:\w+\W+){13,}\w",
    "comma": r",",
    "colon": r":",
    "deixis_start": r"^(?:that|this|it|they|those|these|he|she|there)\b",
    "not_a": r"\b(?:isn't|aren't|is not|are not|is no|are no) (?:really )?(?:a |an |any |our |real )?[a-z]+\b",
    "only_counts": r"\bonly\b.*\bcounts?\b",
    "where_booked": r"\b(?:it's|that's|it is|that is|is) (?:where|how|when|the one (?:that|which))\b",
    "recurs": r"\b(?:each|every) (?:year|spring|summer|autumn|winter|january|february|march|april|may|june|july|august|"
    r"september|october|november|december|christmas|easter|season|monday|friday|sunday)\b",
    "figures": r"^\W*(?:no\W+)?(?:one|two|three|four|\d) (?:\w+ )?(?:decimals?|digits?|figures?|places?)\b",
    "code_is": r"^\W*(?:(?:and|so)\b\W*)?(?:\w+ )?(?:-?\d+|[A-Z]\d*|'\w+'|\"\w+\") (?:is|are|means?|stands?)\b",
    "keeps_out": r"\b(?:don't|do not|doesn't|never|must not|mustn't|shouldn't) (?:be )?"
    r"(?:counted|count|belong|appear|mix|show|included?)\b",
    "for_any": r"\bfor (?:any|every|all)\b|\bin (?:any|every|all)\b",
    "there_is": r"\b(?:there (?:is|are|was|were)|we have|you are|i am)\b",
}  # fmt: skip
_COMPILED = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in CUES.items()}


def cues_of(text: str) -> dict[str, bool]:
    """Return which cues a sentence holds; apostrophes and quotes must be straight already."""
    return {name: bool(pattern.search(text)) for name, pattern in _COMPILED.items()}
