"""Words that any two requests may share, whatever they are about."""

_LONG = """
about after again also asked asks been before being between could didn does doesn doing done each
else ever every from give goes have help here into just know like little look made make many more
most much must need needs only other over please really should show skill some such take tell than
that their them then there these they thing things this those used user users uses using very
want wants well were what whatever when whenever where whichever which while will with without would
write your yours
"""
_ENGLISH = """
a able ago all am an and any are as ask at be big bit but by can cos day did do don due else end
far few for get go got gonna had has he her hey hi him his how i if in is isn it its let ll lot may
me my new no nor not now of off oh ok old on one or our out own per pls put re run s say see set she
so t the thx to too top try two up us use ve via was way we who why yes yet you
"""
_GERMAN = """
ab als am an auf aus bei bin bis da das dem den der des die dir du ein er es für gib hab hat ich ihm
ihn ihr im in ins ist ja ob man mal mir mit nie nun nur ob oft per sei sie sie so tu tun um und uns
vom von vor war was wen wer wie wir wo zu zum zur
"""
_OTHERS = """
al au aux ce con cui da das de del dei den des det di do du een el ele em en er est et ets eu fra
het hij hun i ich ik il ils in io jag je jeg la las le les lo los lui ma mas me mes mi mon na ne ni
no nos nou nu o och og om ons op os ou par pas per por que qui sa se ser ses si sin som son su sua
sul sur sus te til tot tu tua um un una une uno uns van vi via vos wat we ze zij и а в во вы да для
до за из к ко как ли мне мой мы на не но о об он от по с со та так то ты у что это я
"""

ORDINARY = frozenset(_LONG.split())
"""Long ones, in English."""
ORDINARY_SHORT = frozenset(f"{_ENGLISH} {_GERMAN} {_OTHERS}".split())
"""Short ones, in the languages that requests are mostly written in: of three letters or two, most
words that are none of these name a subject, as css, sql and api do."""
