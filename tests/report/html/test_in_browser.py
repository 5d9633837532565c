"""The pages in a real Chromium: nothing runs, nothing is loaded, all can be read and reached."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from skillwalker.datatypes.evals import Status
from skillwalker.datatypes.recorded import RunGlance, Said, Speaker
from skillwalker.report.html.evals import render_eval
from skillwalker.report.html.index import render_index
from skillwalker.report.html.page import render_run
from tests.browser import Browser, need_browser, open_browser
from tests.eval_outcomes import outcome
from tests.hostile import HOSTILE, hostile
from tests.recorded_runs import AGAINST, everywhere, plain_run

pytestmark = pytest.mark.browser

PHONE = 390
READABLE = 4.5
"""Contrast of text.

Source: WCAG 2.2, success criterion 1.4.3
"""
CONTRASTS = """
(() => {
  const number = text => text.match(/[\\d.]+/g).map(Number);
  const light = rgb => {
    const [r, g, b] = rgb.slice(0, 3).map(c => {
      const s = c / 255;
      return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = element => {
    for (let e = element; e; e = e.parentElement) {
      const colour = number(getComputedStyle(e).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());) {
    const element = node.parentElement;
    if (!node.data.trim() || !element.getClientRects().length) continue;
    const style = getComputedStyle(element);
    const colour = number(element instanceof SVGElement ? style.fill : style.color);
    const [a, b] = [light(colour), light(behind(element))].sort((x, y) => y - x);
    found.push([node.data.trim().slice(0, 40), (a + 0.05) / (b + 0.05)]);
  }
  return JSON.stringify(found);
})()
"""
SAID = (
    Said(speaker=Speaker.CLAUDE, turn=1, text="I will just do it."),
    Said(speaker=Speaker.TOOL, turn=1, tool="Bash", text="command: ls"),
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = need_browser()
    with open_browser(program, tmp_path_factory.mktemp("profile")) as opened:
        yield opened


def hostile_page(text: str) -> str:
    run = everywhere(plain_run(), text)
    said = (*SAID, Said(speaker=Speaker.TOOL, turn=2, tool=text, text=text))
    dialogues = {str(trial.transcript): said for trial in run.trials}
    return render_run(run, dialogues=dialogues, next_command=text)


def plain_page(folder: Path) -> Path:
    path = folder / "report.html"
    html = render_run(plain_run(), dialogues={}, next_command="skillwalker apply X")
    path.write_text(html, encoding="utf-8")
    return path


@hostile
def test_hostile_texts_do_nothing(browser: Browser, tmp_path: Path, text: str) -> None:
    path = tmp_path / "report.html"
    path.write_text(hostile_page(text), encoding="utf-8")
    browser.look(width=PHONE)
    browser.open(path)
    browser.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
    assert browser.complaints == []
    assert browser.requests == [path.as_uri()]
    assert browser.evaluate("document.scripts.length + document.images.length") == 0
    assert browser.evaluate("document.querySelectorAll('main, footer, h1').length") == 3
    assert browser.evaluate("document.documentElement.scrollWidth") <= PHONE


def test_the_index_of_hostile_runs_does_nothing(browser: Browser, tmp_path: Path) -> None:
    runs = [everywhere(plain_run(), text) for text in HOSTILE.values()]
    glances = [
        RunGlance(run_id=text, summary=run.summary, note="", report=None)
        for text, run in zip(HOSTILE.values(), runs, strict=True)
    ]
    glances += [
        RunGlance(run_id=text, summary=None, note=text, report=None) for text in HOSTILE.values()
    ]
    path = tmp_path / "index.html"
    path.write_text(render_index(glances), encoding="utf-8")
    browser.look(width=PHONE)
    browser.open(path)
    assert browser.complaints == []
    assert browser.requests == [path.as_uri()]
    assert browser.evaluate("document.scripts.length + document.images.length") == 0
    assert browser.evaluate("document.documentElement.scrollWidth") <= PHONE


@hostile
def test_the_page_of_a_hostile_eval_run_does_nothing(
    browser: Browser, tmp_path: Path, text: str
) -> None:
    path = tmp_path / "report.html"
    path.write_text(render_eval(outcome(*Status, text=text)), encoding="utf-8")
    browser.look(width=PHONE)
    browser.open(path)
    assert browser.complaints == []
    assert browser.requests == [path.as_uri()]
    assert browser.evaluate("document.querySelectorAll('main, footer, h1').length") == 3
    assert browser.evaluate("document.documentElement.scrollWidth") <= PHONE


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, 1200])
def test_every_text_can_be_read(browser: Browser, tmp_path: Path, scheme: str, width: int) -> None:
    browser.look(width=width, scheme=scheme)
    browser.open(plain_page(tmp_path))
    browser.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
    contrasts = json.loads(browser.evaluate(CONTRASTS))
    assert len(contrasts) > 100
    assert [one for one in contrasts if one[1] < READABLE] == []
    assert browser.evaluate("document.documentElement.scrollWidth") <= width


def test_dark_is_dark(browser: Browser, tmp_path: Path) -> None:
    colours = []
    for scheme in ("light", "dark"):
        browser.look(scheme=scheme)
        browser.open(plain_page(tmp_path))
        colours.append(browser.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert colours == ["rgb(255, 255, 255)", "rgb(21, 24, 28)"]


def test_the_keyboard_reaches_the_report_and_opens_what_is_closed(
    browser: Browser, tmp_path: Path
) -> None:
    browser.look()
    browser.open(plain_page(tmp_path))
    browser.press("Tab")
    assert browser.evaluate("document.activeElement.className") == "skip"
    browser.evaluate("document.querySelector('summary').focus()")
    browser.press("Enter")
    assert browser.evaluate("document.querySelector('details').open") is True
    tables = "document.querySelectorAll('table').length"
    reached = "document.querySelectorAll('[role=region][tabindex=\"0\"] > table').length"
    assert browser.evaluate(reached) == browser.evaluate(tables) > 0


def test_paper_has_no_navigation_and_cuts_no_table(browser: Browser, tmp_path: Path) -> None:
    browser.look(media="print", scheme="dark")
    browser.open(plain_page(tmp_path))
    assert browser.evaluate("getComputedStyle(document.querySelector('nav')).display") == "none"
    overflow = "getComputedStyle(document.querySelector('.scroll')).overflowX"
    assert browser.evaluate(overflow) == "visible"
    assert browser.evaluate("getComputedStyle(document.body).backgroundColor") == (
        "rgb(255, 255, 255)"
    )


def test_a_hint_stands_where_a_table_scrolls_and_nowhere_else(
    browser: Browser, tmp_path: Path
) -> None:
    browser.look(width=PHONE)
    browser.open(plain_page(tmp_path))
    look = (
        "JSON.stringify([...document.querySelectorAll('.scroll')].map(e => [e.scrollWidth >"
        " e.clientWidth, parseFloat(getComputedStyle(e, '::before').height) > 0]))"
    )
    hints: list[list[bool]] = []
    for _ in range(200):  # a hint comes with the first frame that is drawn
        hints = json.loads(browser.evaluate(look))
        if all(wide == is_hinted for wide, is_hinted in hints):
            break
    assert {tuple(hint) for hint in hints} == {(True, True), (False, False)}


def test_the_table_of_iterations_fits_a_small_window(browser: Browser, tmp_path: Path) -> None:
    browser.look(width=1000)
    browser.open(plain_page(tmp_path))
    fits = "(e => e.scrollWidth <= e.clientWidth)(document.querySelector('.iterations').parentNode)"
    assert browser.evaluate(fits) is True


def test_on_a_phone_every_caption_is_seen_whole(browser: Browser, tmp_path: Path) -> None:
    run = plain_run()
    path = tmp_path / "report.html"
    held = replace(run, summary=replace(run.summary, simulated=True, against=AGAINST))
    path.write_text(render_run(held, dialogues={}, next_command=None), encoding="utf-8")
    browser.look(width=PHONE)
    browser.open(path)
    ends = (
        "[...document.querySelectorAll('caption span')].map(e => e.getBoundingClientRect().right)"
    )
    rights = browser.evaluate(ends)
    assert len(rights) >= 4
    assert max(rights) <= PHONE
    assert browser.evaluate("document.documentElement.scrollWidth") <= PHONE
