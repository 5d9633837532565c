"""Faults planted in one project, each to be found; twenty clean skills, to be left alone."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from skillwalker.checking.check import Checked, check
from skillwalker.checking.findings import CheckFinding
from skillwalker.checking.provenance import KINDS
from skillwalker.checking.subjects import at_paths, whole_project
from skillwalker.cli.draft_task import SIMULATED
from skillwalker.cli.mine_running import MINED
from skillwalker.datatypes.vocabulary import Severity
from skillwalker.starting.start import EXAMPLE
from skillwalker.suites.new_suite import DRAFTED
from tests.project_files import places_of
from tests.projects import call_case, make_project, write

HEAD = "---\ndescription: {}\n---\nDo it.\n"
ROOT = "plugins/faulty"


def skill(text: str | bytes) -> str | bytes:
    """The whole file; a bare description gets its frontmatter."""
    if isinstance(text, bytes) or text.startswith(("---", "#", "\ufeff")):
        return text
    return HEAD.format(text)


SKILLS: Mapping[str, tuple[str | bytes, str, int | None]] = {
    "no-head": ("# Heading\n", "not-loaded", None),
    "no-description": ("---\nname: no-description\n---\n", "not-loaded", None),
    "empty-description": ('---\ndescription: ""\n---\n', "not-loaded", 2),
    "switched-off": (
        "---\ndescription: Prunes old branches when asked.\ndisable-model-invocation: true\n---\n",
        "disable-model-invocation",
        3,
    ),
    "unreachable": (
        "---\ndescription: Waters the plants on Monday.\ndisable-model-invocation: true\n"
        "user-invocable: false\n---\n",
        "unreachable",
        3,
    ),
    "quoted-switch": (
        '---\ndescription: Feeds the cat when hungry.\nuser-invocable: "false"\n---\n',
        "quoted-boolean",
        3,
    ),
    "hash": ("Sorts the inbox # and archives the rest of it", "hash-cut", 2),
    "fence": ("Folds the laundry --- and irons the shirts too", "fence-cut", 2),
    "colon": ("Bakes bread: use when flour is at hand", "yaml-differs", 2),
    "too-long": ("Knits a scarf. " + "very warm wool " * 110, "over-cap", 2),
    "over-upload": ("Paints a wall. " + "with thick paint " * 66, "description", 2),
    "unknown-key": (
        "---\ndescription: Mows the lawn on demand.\nalowed-tools: Bash\n---\n",
        "unknown-key",
        3,
    ),
    "twice": (
        "---\ndescription: Old words about clocks.\ndescription: Winds the clock by hand.\n---\n",
        "duplicate-key",
        2,
    ),
    "bom": ("\ufeff---\ndescription: Tunes the piano upright.\n---\n", "bom-old-cli", 1),
    "short": ("Cleans things.", "description", 2),
    "tag": ("Composes music as <music>notes</music> on request", "description", 2),
    "in-quotes": ('"“Polishes silver spoons and forks on request.”"', "description", 2),
    "hidden": ("Hides\u202e something in the garden on request", "description", 2),
    "lead-in": ('"Here is the description: plans a long hike"', "description", 2),
    "latin-1": (b"---\ndescription: Kocht Gem\xfcse f\xfcr viele G\xe4ste.\n---\n", "encoding", 2),
    "stamps-a": ("Collects stamps of Finland and sorts them into an album", "", None),
    "stamps-b": (
        "Collects the stamps of Finland and sorts them into one album",
        "overlap",
        2,
    ),
    "copied-a": ("Measures the rain that fell over night in the garden", "", None),
    "copied-b": ("Measures the rain that fell over night in the garden", "copy", None),
    "quoter": (
        "Handles requests like why does my tall ficus drop its leaves in winter",
        "quotes-query",
        2,
    ),
}
FILES: Mapping[str, tuple[str, str, str]] = {
    "misnamed": (f"{ROOT}/skills/lower/skill.md", HEAD.format("Sails a boat."), "misnamed"),
    "loose": (f"{ROOT}/skills/loose.md", HEAD.format("Rows a boat home."), "loose-file"),
    "too deep": (
        f"{ROOT}/skills/group/deep/SKILL.md",
        HEAD.format("Dives for pearls in deep water."),
        "not-loaded",
    ),
    "manifest": ("plugins/broken/.claude-plugin/plugin.json", "{name: broken}", "manifest"),
    "agent without a description": (
        f"{ROOT}/agents/mute.md",
        "---\nname: mute\n---\n",
        "never-triggers",
    ),
    "agent with backslashes": (
        f"{ROOT}/agents/slashes.md",
        "---\nname: slashes\ndescription: Guards the gate\\nand the wall at night\n---\n",
        "backslash-n",
    ),
    "agent of a project": (
        ".claude/agents/odd.md",
        "---\nname: -odd\ndescription: Watches over the sheep in the field\n---\n",
        "not-loaded",
    ),
    "no tests.json": ("evals/hollow/prompts/one.md", "do it\n", "no-tests"),
    "unused prompt": ("evals/decent/prompts/left.md", "left over\n", "unused-file"),
    "unused scaffold": ("evals/decent/scaffolds/left/a.py", "pass\n", "unused-file"),
}


def case(name: str, prompt: str, expected: bool = True, **keys: object) -> dict[str, object]:
    """A case about the plain skill `demo:review`."""
    return call_case(name, expected, prompt=prompt, **keys)


POSITIVE = [
    case("p1", "look for mistakes in my branch"),
    case("p2", "is there anything wrong with this function?"),
    case("p3", "check what I changed since yesterday"),
]
NEGATIVE = [
    case("n1", "give me a review of that film", False),
    case("n2", "rename the module to parser", False),
    case("n3", "deploy to production", False),
]
REWORDED = case("n4", "please look for mistakes in my branch", False)
SUITES: Mapping[str, tuple[object, str]] = {
    "no-json": ("{'tests': []}", "suite"),
    "empty": ({"tests": []}, "suite"),
    "no-prompt-file": ({"tests": [call_case("a", promptFile="gone.md")]}, "suite"),
    "unknown-case-key": ({"tests": [{**case("a", "b"), "promt": "x"}]}, "suite"),
    "same-names": ({"tests": [case("a", "one"), case("a", "two")]}, "suite"),
    "both-labels": ({"tests": [case("a", "same"), case("b", "same", False)]}, "suite"),
    "no-target": ({"tests": [case("a", "b", skillFile="demo:reveiw")]}, "suite"),
    "no-expect": ({"tests": [{**case("a", "b"), "expect": []}]}, "suite"),
    "leaves": ({"tests": [call_case("a", promptFile="../../x.md")]}, "suite"),
    "wrong-type": ({"tests": [{**case("a", "b"), "runs": "3"}]}, "suite"),
    "even-runs": ({"tests": [case("a", "b", runs=2)]}, "suite"),
    "only-positive": ({"tests": POSITIVE}, "one-sided"),
    "only-negative": ({"tests": NEGATIVE}, "one-sided"),
    "tiny": ({"tests": [POSITIVE[0], NEGATIVE[0]]}, "too-small"),
    "repeats": (
        {"tests": [*POSITIVE, *NEGATIVE, case("p4", "look for mistakes on my branch")]},
        "near-duplicate",
    ),
    "rewords": (
        {"tests": [*POSITIVE, *NEGATIVE, REWORDED]},
        "contradictory",
    ),
    "far-misses": (
        {"tests": [*POSITIVE, case("n1", "how high is Mount Fuji?", False),
                   case("n2", "sing a song", False), case("n3", "order pizza", False)]},
        "no-near-miss",
    ),
    "commands": ({"tests": [*POSITIVE, *NEGATIVE, case("p4", "/review my work")]}, "slash-command"),
    "models": (
        {"tests": [{**each, "model": "opus"} for each in POSITIVE] + NEGATIVE},
        "model-by-side",
    ),
}  # fmt: skip
QUOTED = "why does my tall ficus drop its leaves in winter?"


def write_sound(root: Path) -> None:
    """Give the skills and agents of the small project descriptions without a fault."""
    for path, text in (
        ("plugins/demo/skills/review/SKILL.md", "Finds mistakes in a change."),
        ("plugins/demo/skills/release/SKILL.md", "Publishes a package with its notes."),
        (".claude/skills/local/SKILL.md", "Explains how this repository is built."),
        ("plugins/demo/agents/auditor.md", "Audits dependencies for licences."),
    ):
        write(root / path, HEAD.format(text))


def plant(root: Path) -> None:
    """Write a project full of faults."""
    make_project(root)
    write(root / f"{ROOT}/.claude-plugin/plugin.json", '{"name": "faulty"}')
    write_sound(root)
    for name, (text, _, _) in SKILLS.items():
        write(root / f"{ROOT}/skills/{name}/SKILL.md", skill(text))
    for path, text, _ in FILES.values():
        write(root / path, text)
    suites = {name: suite for name, (suite, _) in SUITES.items()}
    suites["decent"] = {"tests": [*POSITIVE, *NEGATIVE]}
    suites["quoting"] = {"tests": [case("ficus", QUOTED, skillFile="faulty:quoter")]}
    for name, suite in suites.items():
        text = suite if isinstance(suite, str) else json.dumps(suite, indent=1)
        write(root / f"evals/{name}/tests.json", text)
    for at in range(40):
        text = f"Skill number {at:03} of a crowd. " + f"word{at:03}x " * 110
        write(root / f"plugins/crowd/skills/s{at}/SKILL.md", HEAD.format(text))


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Checked]:
    root = tmp_path_factory.mktemp("planted")
    plant(root)
    return root, check(whole_project(places_of(root)))


def found(planted: tuple[Path, Checked], path: str, rule: str) -> list[CheckFinding]:
    root, checked = planted
    return [each for each in checked.findings if each.path == root / path and each.rule == rule]


PLANTED_SKILLS = {name: row for name, row in SKILLS.items() if row[1]}


@pytest.mark.parametrize("name", PLANTED_SKILLS)
def test_each_faulty_skill_is_found_at_its_line(planted: tuple[Path, Checked], name: str) -> None:
    _, rule, line = SKILLS[name]
    (first, *_) = found(planted, f"{ROOT}/skills/{name}/SKILL.md", rule)
    assert first.line == line
    assert first.message
    assert first.remedy


@pytest.mark.parametrize("name", FILES)
def test_each_faulty_file_is_found(planted: tuple[Path, Checked], name: str) -> None:
    path, _, rule = FILES[name]
    if rule == "no-tests":
        path = "evals/hollow"
    if "scaffold" in name:
        path = str(Path(path).parent)
    (first, *_) = found(planted, path, rule)
    assert first.remedy


@pytest.mark.parametrize("name", SUITES)
def test_each_faulty_suite_is_found(planted: tuple[Path, Checked], name: str) -> None:
    (first, *_) = found(planted, f"evals/{name}/tests.json", SUITES[name][1])
    assert first.remedy


def test_a_full_listing_is_told_once(planted: tuple[Path, Checked]) -> None:
    (finding,) = found(planted, "plugins/crowd/skills", "full-listing")
    assert finding.message.startswith("18 of these 40 skills are shown by their bare name")


def test_more_than_forty_faults_are_planted() -> None:
    assert len(PLANTED_SKILLS) + len(FILES) + len(SUITES) + 1 >= 40


def test_nothing_is_said_of_what_is_sound_beside_them(planted: tuple[Path, Checked]) -> None:
    root, checked = planted
    faulty = {root / f"{ROOT}/skills/{name}/SKILL.md" for name in PLANTED_SKILLS}
    faulty |= {root / path for path, _, _ in FILES.values()}
    faulty |= {(root / path).parent for path, _, _ in FILES.values()}
    faulty |= {root / f"evals/{name}/tests.json" for name in SUITES}
    faulty |= {root / "evals/quoting/tests.json", root / "plugins/crowd/skills"}
    faulty |= {root / "evals/hollow"}
    assert [each for each in checked.findings if each.path not in faulty] == []


CLEAN = {
    "invoice-maker": "Writes an invoice as PDF from a list of hours. "
    "Use when someone wants to bill a client.",
    "sql-tuner": "Makes slow SQL queries faster by reading their plans. "
    "Use when a query takes too long.",
    "changelog": "Drafts release notes from merged pull requests. "
    "Use before a version is published.",
    "flaky-tests": "Finds out why a test passes only sometimes. Use when CI is red now and then.",
    "alt-text": "Describes images for screen readers. "
    "Use when pictures in a page lack alternative text.",
    "rust-errors": "Explains borrow checker messages and shows a fix. "
    "Use when rustc refuses a program.",
    "meeting-notes": "Turns a transcript into decisions and tasks. Use after a call was recorded.",
    "dockerfile": "Shrinks container images and speeds up their builds. "
    "Use when an image is large.",
    "regex": "Builds and explains regular expressions. "
    "Use when text has to be matched or extracted.",
    "accessibility": "Audits web pages against WCAG. "
    "Use when keyboard or contrast problems are suspected.",
    "steuer": "Prüft Belege für die Steuererklärung. Verwenden, wenn jemand Quittungen einreicht.",
    "traduction": "Traduit des courriels du français vers l'anglais. "
    "À utiliser pour un message étranger.",
    "weekly": "根据提交记录撰写每周工作总结。当用户需要周报时使用。",
    "translation": "仕様書を日本語に翻訳します。英語の文書が渡されたときに使います。",
    "charts": "Строит графики продаж по таблице. Применяйте, когда просят отчёт за месяц.",
    "terraform": "Reviews infrastructure plans for costly or risky changes. "
    "Use before terraform apply.",
    "i18n": "Extracts hard-coded strings into message catalogues. "
    "Use when an app gets a second language.",
    "git-rescue": "Recovers lost commits and undoes bad rebases. Use when history went wrong.",
    "csv-clean": "Repairs broken CSV: quoting, encodings, stray columns. Use when an import fails.",
    "benchmark": "Measures a program before and after a change, with intervals. "
    "Use for speed claims.",
}
CLEAN_CASES = [
    case("c1", "bill Acme for the 12 hours of last week", skillFile="clean:invoice-maker"),
    case("c2", "make me a PDF that I can send to the client", skillFile="clean:invoice-maker"),
    case(
        "c3", "I worked 3 days, what do I charge? put it on paper", skillFile="clean:invoice-maker"
    ),
    case(
        "c4",
        "is this invoice from the phone company too high?",
        False,
        skillFile="clean:invoice-maker",
    ),
    case("c5", "list my hours by project", False, skillFile="clean:invoice-maker"),
    case("c6", "convert this PDF to text", False, skillFile="clean:invoice-maker"),
]


def test_twenty_clean_skills_and_their_suite_are_left_alone(tmp_path: Path) -> None:
    for name, text in CLEAN.items():
        write(tmp_path / f"plugins/clean/skills/{name}/SKILL.md", HEAD.format(f'"{text}"'))
    write(tmp_path / "plugins/clean/.claude-plugin/plugin.json", '{"name": "clean"}')
    write(tmp_path / "plugins/clean/skills/csv-clean/assets/SKILL.md", "# a template\n")
    write(tmp_path / "evals/invoices/tests.json", json.dumps({"tests": CLEAN_CASES}))
    checked = check(whole_project(places_of(tmp_path)))
    assert checked.findings == ()
    assert len(checked.targets) == 20
    assert len(checked.cases) == 1


def test_a_bare_folder_of_skills_is_checked(tmp_path: Path) -> None:
    write(tmp_path / "bag/one/SKILL.md", HEAD.format("Draws maps of towns on request."))
    write(tmp_path / "bag/two/SKILL.md", HEAD.format("Tiny."))
    write(tmp_path / "bag/docs/agents/how-we-work.md", "# Prose in a folder of that name\n")
    checked = check(at_paths([tmp_path / "bag"], places_of(tmp_path)))
    assert [(each.path.parent.name, each.rule) for each in checked.findings] == [
        ("two", "description")
    ]


def test_a_suite_that_cannot_show_the_change_asked_for_is_named(tmp_path: Path) -> None:
    plant_decent(tmp_path)
    places = places_of(tmp_path)
    assert check(whole_project(places)).findings == ()
    (finding,) = check(whole_project(places), change=0.2).findings
    assert finding.rule == "too-small"
    assert finding.message.startswith("6 cases x 3 runs show a change of about 38 points")
    assert finding.remedy == "for 20 points have 23 cases, half of each kind"


def plant_decent(root: Path) -> None:
    make_project(root)
    for name, text in (
        ("review", "Finds mistakes in a change."),
        ("release", "Publishes a package."),
    ):
        write(root / f"plugins/demo/skills/{name}/SKILL.md", HEAD.format(text))
    write(root / "plugins/demo/agents/auditor.md", HEAD.format("Audits dependencies for licences."))
    write(
        root / ".claude/skills/local/SKILL.md",
        HEAD.format("Explains how this repository is built."),
    )
    write(root / "evals/decent/tests.json", json.dumps({"tests": [*POSITIVE, *NEGATIVE]}))


def test_a_skill_that_only_its_user_calls_is_an_error_once_it_is_measured(tmp_path: Path) -> None:
    plant_decent(tmp_path)
    head = "---\ndescription: Finds mistakes in a change.\ndisable-model-invocation: true\n---\n"
    path = write(tmp_path / "plugins/demo/skills/review/SKILL.md", head)
    places = places_of(tmp_path)
    (measured,) = check(whole_project(places)).findings
    (alone,) = check(at_paths([path], places)).findings
    assert (measured.severity, alone.severity) == (Severity.ERROR, Severity.WARNING)


def suite_of(root: Path, *tests: dict[str, object], files: Mapping[str, str] = {}) -> list[str]:
    """Write a sound project with one suite; give the rules that find something in it."""
    plant_sound(root)
    write(root / "evals/one/tests.json", json.dumps({"tests": [*POSITIVE, *tests]}, indent=1))
    for path, text in files.items():
        write(root / "evals/one" / path, text)
    return [each.rule for each in check(whole_project(places_of(root))).findings]


def plant_sound(root: Path) -> None:
    """Write the small project without faults and without a suite."""
    make_project(root)
    write_sound(root)


FAR = [
    case(f"f{at}", text, False) for at, text in enumerate(["sing a song", "order pizza", "cook"])
]


def test_a_tag_makes_a_near_miss(tmp_path: Path) -> None:
    assert suite_of(tmp_path, *FAR, case("n", "hum it", False, tags=["near-miss"])) == []


def test_cases_that_say_how_often_they_run_are_told_once_and_lightly(tmp_path: Path) -> None:
    tests = [
        *NEGATIVE,
        case("often", "is my branch sane", runs=5),
        case("n9", "cook", False, runs=3),
    ]
    assert suite_of(tmp_path, *tests) == ["own-runs"]
    checked = check(whole_project(places_of(tmp_path)))
    (finding,) = checked.findings
    assert finding.severity is Severity.INFO
    assert finding.message.startswith("2 of the cases about demo:review say `runs`: measure, ")
    assert finding.line is not None
    assert "--search phases" in finding.remedy


def test_ordinary_words_make_no_near_miss(tmp_path: Path) -> None:
    ordinary = case("n", "please show what there should be this time, yesterday", False)
    assert suite_of(tmp_path, *FAR, ordinary) == []  # "yesterday" is no ordinary word
    ordinary["prompt"] = "please show what there should be with this"
    assert suite_of(tmp_path, *FAR, ordinary) == ["no-near-miss"]


@pytest.mark.parametrize(
    ("positive", "negative", "is_near"),
    [
        ("my css is broken", "install css on the laptop", True),
        ("tune the sql of it", "what is SQL?", True),
        ("roll out to k8s", "who made k8s", True),
        ("does the api answer", "an API for birds", True),
        ("why is it so", "how is it to be", False),
        ("what did we do in 2024", "what did they do in 2024?", False),
        ("wie ist das mit dem Brot", "wer ist das mit dem Hut", False),
        ("qui est la", "ou est la", False),
    ],
)
def test_a_short_word_is_shared_where_it_names_a_subject(
    tmp_path: Path, positive: str, negative: str, is_near: bool
) -> None:
    tests = [*FAR, case("p9", positive), case("f9", negative, False)]
    assert suite_of(tmp_path, *tests) == ([] if is_near else ["no-near-miss"])


PROVENANCE = [
    (("drafted", "example"), "example-cases", Severity.WARNING),
    (("drafted", "simulated"), "simulated-cases", Severity.WARNING),
    (("drafted",), "drafted-cases", Severity.INFO),
    (("mined",), "mined-cases", Severity.INFO),
    (("mined", "drafted"), "mined-cases", Severity.INFO),
]


@pytest.mark.parametrize(("tags", "rule", "severity"), PROVENANCE)
def test_cases_that_a_command_wrote_are_told_once(
    tmp_path: Path, tags: tuple[str, ...], rule: str, severity: Severity
) -> None:
    tests = [*NEGATIVE, case("p8", "is my fork sane", tags=[*tags])]
    tests.append(case("p9", "any typos left", tags=[*tags, "own"]))
    assert suite_of(tmp_path, *tests) == [rule]
    (finding,) = check(whole_project(places_of(tmp_path))).findings
    assert finding.severity is severity
    word = rule.partition("-")[0]
    assert finding.message.startswith(f"2 of the cases about demo:review are tagged {word}: ")
    assert finding.line is not None


def test_tags_of_ones_own_are_nothing_to_tell(tmp_path: Path) -> None:
    tests = [*NEGATIVE, case("p8", "is my fork sane", tags=["example", "simulated"])]
    assert suite_of(tmp_path, *tests) == []


def test_the_tags_are_those_that_commands_write() -> None:
    written = {DRAFTED, EXAMPLE, MINED, SIMULATED}
    assert {tag for kind in KINDS for tag in kind.tags} == written


def test_a_near_miss_may_be_one_word_away(tmp_path: Path) -> None:
    near = case("n4", "check what I changed since Christmas", False)
    assert suite_of(tmp_path, *NEGATIVE, near) == []


def test_a_repetition_on_one_side_contradicts_nothing(tmp_path: Path) -> None:
    again = case("p4", "look for mistakes on my branch")
    assert suite_of(tmp_path, *NEGATIVE, again) == ["near-duplicate"]


def test_files_that_cases_name_are_used(tmp_path: Path) -> None:
    named = {**case("p4", ""), "promptFile": "deep/four.md", "scaffold": "app"}
    del named["prompt"]
    files = {"prompts/deep/four.md": "see to my patch of today\n", "scaffolds/app/a.py": "pass\n"}
    assert suite_of(tmp_path, *NEGATIVE, named, files=files) == []


@pytest.mark.parametrize(
    ("line", "rule", "remedy"),
    [
        ('"finds it --- and mends it, too"', "not-loaded", "write the `---` in line 2 otherwise"),
        ("'it: finds --- mends mistakes'", "yaml-differs", "write the `---` in line 2 otherwise"),
        ("it: finds --- mends mistakes", "yaml-differs", "write the `---` in line 2 otherwise"),
        ("finds mistakes: all of them; or so", "yaml-differs", "put the value in double quotes"),
        ("1e3", "yaml-differs", "put the value in double quotes"),
        ('"never closed', "not-loaded", "close the quotes or brackets that are open there"),
        ('"finds" mistakes', "not-loaded", "put the value in double quotes"),
    ],
)
def test_a_value_that_is_read_otherwise_has_the_remedy_of_its_cause(
    tmp_path: Path, line: str, rule: str, remedy: str
) -> None:
    path = write(tmp_path / "bag/one/SKILL.md", f"---\ndescription: {line}\n---\n")
    found = check(at_paths([path], places_of(tmp_path))).findings
    (finding,) = (each for each in found if each.rule == rule)
    assert finding.remedy.startswith(remedy)


def test_a_sentence_without_a_remedy_is_not_cut_in_two(tmp_path: Path) -> None:
    text = "---\nname: bag; other\ndescription: Finds mistakes in a change.\n---\n"
    path = write(tmp_path / "plugins/demo/agents/one.md", text)
    found = check(at_paths([path], places_of(tmp_path))).findings
    (finding,) = (each for each in found if each.rule == "name-differs")
    assert finding.message.endswith("Claude sees 'demo:bag; other'")
    assert finding.remedy.startswith("name both alike")


def test_a_block_of_lines_is_a_sound_description(tmp_path: Path) -> None:
    plant_sound(tmp_path)
    text = "---\ndescription: |\n  Finds mistakes in a change,\n  line by line.\n---\n"
    write(tmp_path / "plugins/demo/skills/review/SKILL.md", text)
    assert check(whole_project(places_of(tmp_path))).findings == ()


@pytest.mark.parametrize(
    ("name", "line"), [("no-json", 1), ("unknown-case-key", 4), ("no-target", 4), ("empty", None)]
)
def test_a_fault_of_a_suite_has_its_line(
    planted: tuple[Path, Checked], name: str, line: int | None
) -> None:
    (first, *_) = found(planted, f"evals/{name}/tests.json", "suite")
    assert first.line == line


def test_findings_come_in_order_of_files_and_lines(planted: tuple[Path, Checked]) -> None:
    places = [(each.path.as_posix(), each.line or 0) for each in planted[1].findings]
    assert places == sorted(places)
