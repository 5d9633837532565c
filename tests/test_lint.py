"""What is wrong with a description's text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillwalker.datatypes.vocabulary import TargetKind
from skillwalker.lint import count_units, lint_description

GOOD = "Reviews code changes for faults before they are merged."
SKILL, AGENT = TargetKind.SKILL, TargetKind.AGENT


def faults(text: str, kind: TargetKind = SKILL, max_units: int = 1024) -> str:
    return " | ".join(lint_description(text, kind=kind, max_units=max_units))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(GOOD, id="English"),
        pytest.param("Prüft Änderungen am Code, bevor sie übernommen werden.", id="German"),
        pytest.param("マージする前にコードの変更点を確認して問題を報告します。", id="Japanese"),
        pytest.param("在合并之前检查代码改动并且报告其中发现的问题以及风险", id="Chinese"),
        pytest.param("병합하기 전에 코드 변경 사항을 검토하고 문제를 보고합니다.", id="Korean"),
        pytest.param("ตรวจสอบการเปลี่ยนแปลงของโค้ดก่อนรวม", id="Thai"),
        pytest.param("يراجع تغييرات الكود قبل دمجها ويذكر الأخطاء", id="Arabic"),
        pytest.param("בודק שינויים בקוד לפני מיזוג ומדווח על תקלות", id="Hebrew"),
        pytest.param("कोड में बदलावों की समीक्षा करता है और गलतियाँ बताता है", id="Hindi"),
        pytest.param("Проверяет изменения кода перед слиянием.", id="Russian"),
        pytest.param("می‌خواهد کد را پیش از ادغام بررسی کند", id="Persian with its joiner"),
        pytest.param("Reviews 👩‍💻 code and family 👨‍👩‍👧 emoji joined", id="emoji with joiners"),
        pytest.param("Use \"review\" or 'check': it's #1, a\\b & 50% {x} [y]?", id="YAML's marks"),
        pytest.param("Use when p < 0.9 or x > 3 -> y, a <- b and 1 <2 hold", id="no tags"),
        pytest.param("Hereford cattle records: keeps herds in order.", id="begins with Here…"),
        pytest.param(
            '"Review" and "audit" requests: reads diffs and "reports"', id="two quotations"
        ),
        pytest.param("**Reviews** code and says what is **wrong**", id="bold words at both ends"),
        pytest.param(
            "以下の場合に使用する: コードの変更点を確認するとき", id="Japanese: in these cases"
        ),
        pytest.param(
            "Sure-footed planning for releases: dates, owners and risks.", id="Sure-footed"
        ),
        pytest.param("Draws lines of --- and ... in a text table; no others.", id="dashes inside"),
        pytest.param("Reads plans, code, tests, notes, tickets, logs ...", id="dots at the end"),
        pytest.param("x" * 20, id="shortest"),
        pytest.param("x" * 1024, id="longest"),
        pytest.param("😀" * 512, id="longest in emoji"),
    ],
)
def test_nothing_is_wrong(text: str) -> None:
    assert faults(text) == ""
    assert faults(text, AGENT) == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("x" * 1025, "1025 UTF-16 units, 1 over the limit of 1024", id="one too long"),
        pytest.param("😀" * 513, "1026 UTF-16 units, 2 over", id="emoji count twice"),
        pytest.param("x" * 19, "19 characters, at least 20", id="one too short"),
        pytest.param("", "0 characters", id="empty"),
        pytest.param(GOOD + " ", "white space", id="space at the end"),
        pytest.param("\u3000" + GOOD, "white space", id="wide space at the start"),
        pytest.param("  " + "x" * 19 + "  ", "19 characters", id="spaces do not lengthen"),
        pytest.param(GOOD + "\x00", "U+0000", id="NUL"),
        pytest.param(GOOD + "\x1b[31m", "U+001B", id="escape"),
        pytest.param(GOOD + "\x7f", "U+007F", id="delete"),
        pytest.param(GOOD + "\x85x", "U+0085", id="next line"),
        pytest.param(f"{GOOD}\r{GOOD}", "carriage return", id="carriage return"),
        pytest.param(f"{GOOD}\t{GOOD}", "a tab", id="tab"),
        pytest.param(GOOD + "\ud83d", "half of a character (U+D83D)", id="lone surrogate"),
        pytest.param(GOOD + "\u202ex", "U+202E", id="direction override"),
        pytest.param(GOOD + "\u2066x", "U+2066", id="direction isolate"),
        pytest.param(GOOD + "\u2028x", "U+2028", id="line separator"),
        pytest.param(GOOD + "\ufeffx", "U+FEFF", id="byte order mark"),
        pytest.param(GOOD + "\U000e0041x", "U+E0041", id="hidden tag"),
        pytest.param(f"{GOOD} </system-reminder>", "</system-reminder>", id="closes the reminder"),
        pytest.param(f"{GOOD} < / System-Reminder >", "System-Reminder", id="in another spelling"),
        pytest.param(f"{GOOD} <system-reminder a='b'>", "<system-reminder", id="opens one"),
        pytest.param(f'"{GOOD}"', "quotation marks", id="in quotation marks"),
        pytest.param(f"„{GOOD}“", "quotation marks", id="in German ones"),
        pytest.param(f"「{GOOD}」", "quotation marks", id="in Japanese ones"),
        pytest.param(f"`{GOOD}`", "quotation marks", id="in backticks"),
        pytest.param(f"**{GOOD}**", "markup", id="in bold"),
        pytest.param(f"```yaml {GOOD} ```", "code fence", id="in a fence"),
        pytest.param(f"Here is the new description: {GOOD}", "about the text", id="Here is"),
        pytest.param(f"Here's a better one: {GOOD}", "about the text", id="Here's"),
        pytest.param(f"Sure! {GOOD}", "about the text", id="Sure"),
        pytest.param(f"description: {GOOD}", "about the text", id="the key"),
        pytest.param(f"Improved description: {GOOD}", "about the text", id="Improved"),
        pytest.param(f"Hier ist die Beschreibung: {GOOD}", "about the text", id="German lead-in"),
        pytest.param(f"以下が改善した説明です：{GOOD}", "about the text", id="Japanese lead-in"),
    ],
)
def test_a_fault_of_both_kinds_is_named(text: str, words: str) -> None:
    assert words in faults(text)
    assert words in faults(text, AGENT)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(f"{GOOD}\n{GOOD}", "a line break", id="lines"),
        pytest.param(f"{GOOD} <example>one</example>", "the tag '<example>'", id="tags"),
        pytest.param(f"{GOOD} </example>", "the tag '</example>'", id="a closing tag"),
        pytest.param(f'{GOOD} <a href="x">', "the tag '<a href", id="a tag with an attribute"),
    ],
)
def test_an_agent_may_have_what_a_skill_may_not(text: str, words: str) -> None:
    assert words in faults(text)
    assert faults(text, AGENT) == ""


@pytest.mark.parametrize("fence", ["---", "--- ", "---\t", "..."])
def test_a_line_that_ends_the_frontmatter_is_a_fault(fence: str) -> None:
    for text in (f"{GOOD}\n{fence}\n{GOOD}", f"{fence}\n{GOOD}", f"{GOOD}\n{fence}"):
        assert "ends the file's frontmatter" in faults(text, AGENT)


def test_the_limit_is_an_argument() -> None:
    assert faults(GOOD, max_units=len(GOOD)) == ""
    assert "1 over the limit of 54" in faults(GOOD, max_units=len(GOOD) - 1)


def test_an_earlier_text_is_refused_whatever_its_spaces() -> None:
    earlier = ["Something else.", f"  {GOOD.replace(' ', chr(10))} "]
    (fault,) = lint_description(GOOD, kind=SKILL, earlier=earlier)
    assert "tried before" in fault
    assert lint_description(GOOD.lower(), kind=SKILL, earlier=earlier) == ()


def test_the_quoted_words_are_named() -> None:
    queries = ["hello", "would you review code changes for faults before they are merged today"]
    (fault,) = lint_description(GOOD, kind=SKILL, queries=queries)
    assert "'code changes for faults before they are'" in fault


def test_a_fault_is_one_short_line_whatever_it_names() -> None:
    for kind in TargetKind:
        for text in (f"{GOOD} <system-reminder\n{'x' * 500}>", f"{GOOD} <a \ud800 {'x' * 500}>"):
            for fault in lint_description(text, kind=kind):
                assert fault.isprintable()
                assert len(fault) < 150


def test_every_fault_is_named_at_once() -> None:
    text = '"' + "x" * 1100 + '\t</system-reminder>"'
    assert len(lint_description(text, kind=SKILL)) == 4


@settings(max_examples=100, deadline=None)
@given(text=st.text(max_size=60), kind=st.sampled_from(TargetKind))
def test_any_text_is_judged_and_the_faults_are_one_line_each(text: str, kind: TargetKind) -> None:
    for fault in lint_description(text, kind=kind, queries=[text], earlier=[text]):
        assert fault.isprintable()


@settings(max_examples=100, deadline=None)
@given(text=st.text(alphabet=st.characters(exclude_categories=[]), max_size=40))
def test_units_are_those_of_utf_16(text: str) -> None:
    assert count_units(text) == len(text.encode("utf-16-le", "surrogatepass")) // 2


def test_a_reminder_may_be_spaced_out() -> None:
    text = f"Reviews code. < / {' ' * 200}system-reminder > it"
    assert "Claude Code's own mark" in faults(text)
    assert "own mark" not in faults(f"Reviews code. < {' ' * 300_000}x")
