"""Words that carry no topic, and words that carry little, in the languages users mix most."""

from typing import Final

_ENGLISH = """
a about above after again all also although always am an and any anyone anything are as at back be
because been before being below between both but by can cannot could couldn did didn do does doesn
doing don down during each either else etc ever every everything few for from further get gets give
go goes going gonna good got had has hasn have haven having he hello help helps her here hey hi him
his how i if im in into is isn it its itself just kind know let lets like ll look looks lot make
makes many may maybe me might mine more most much must my myself need needs never next nice no nor
not nothing now of off ok okay on once one only onto or other our out over own per please pls put
quick quickly quite rather re really right said same say see seem shall she should shouldn since so
some someone something still such sure take tell than thank thanks that the their them then there
these they thing things this those though through thus to today together too try trying two under
unless until up upon us use used useful user users uses using ve very via wanna want wants was wasn
way we well went were weren what whatever when whenever where whether which while who whole whose
why will with within without won would wouldn yes yet you your yours whichever ask asks asked
asking plz thx ya yo teh esp aren isnt dont cant another told somebody anybody seen sees gives
takes away skill skills agent agents subagent claude trigger triggers mention mentions request
requests task tasks work works working stuff come comes first last day time days week
"""

_GERMAN = """
ab aber alle allem allen aller alles als also am an andere anderen anderer auch auf aus bei beim
bin bis bitte bist bzw da dabei dafür damit danach dann das dass dazu dein deine dem den denn der
deren des deshalb dessen die dies diese diesem diesen dieser dieses doch dort du durch ein eine
einem einen einer eines einfach einmal er es etwas euch euer für gegen gerade gibt habe haben hallo
hast hat hatte hier ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in ins ist ja jede jedem
jeden jeder jedes jetzt kann kannst kein keine keinem keinen keiner können könnte könntest mach
mache machen mal man mehr mein meine meinem meinen meiner mich mir mit muss müssen nach nicht
nichts noch nun nur ob oder ohne schon sehr sein seine seinem seinen seiner seit sich sie sind so
soll sollen sollte sondern soweit sowie um und uns unser unsere unserem unseren unserer unter vom
von vor war warum was wegen weil welche welchem welchen welcher welches wenn wer werden wie wieder
will wir wird wo wurde wurden zu zum zur zwischen brauche braucht hilf hilfe verwende verwenden
verwendet nutze nutzen benutze benutzen geht wollen möchte würde danke gern nie eigentlich gut gute
guten überhaupt irgendetwas irgendwas jemand vielleicht etwa sowas halt eben wofür wohl dir wäre
hätte stimmt passt heute morgen gestern woche gleich erst ganz viel viele wenig denke weiß steht
stehen liegt lässt
"""

_OTHERS = """
ce ces cette dans de du elle en est et il ils je la le les leur mais mon ne nous ou par pas pour
que qui sa se ses son sont sur un une vous aux avec au con como del el ella esta este esto lo los
las mas mi muy para pero por si sin sobre su sus tu una uno y ya
"""

_GENERIC = """
assistant commentary context add analyze analyse app application better bug change changes check
clean code coding create current data describe detail details different do document edit error
errors example explain explains feature features file files find fix fixes folder format function
functions generate handle idea improve include information issue issues item items line lines list
main model name new number old open output page part people point problem problems project projects
question questions read repo repository result results run section service set show simple small
specific start step steps summary support system team text tool type update value version word
words write writing written answer answers reading call calls called pass place done rest half
several second seconds left mean means morning night hold case cases side top order move keep turn
turns stop hour hours year years month months yesterday tomorrow monday friday leave put three four
five ten key keys plan made build built best big bad short long long-term clear real full high low
local everyone person sentence datei dateien projekt projekte fehler neu neue neuen liste zeile
zeilen frage fragen schreib schreibe schreiben zeig zeige zeigen erklär erkläre
"""

STOP_WORDS: Final = frozenset(f"{_ENGLISH} {_GERMAN} {_OTHERS}".split())
"""Never counted."""

GENERIC_WORDS: Final = frozenset(_GENERIC.split()) - STOP_WORDS
"""Counted little: half of all requests to a coding assistant hold one."""
