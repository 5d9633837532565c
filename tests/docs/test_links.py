"""What the docs point at is there."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, documents, name_of

LINK = re.compile(r"\]\(([^)\s]+)\)")
PLACES = re.compile(r"(?:^|[\s`(])/(?:work|root|tmp|home)/")


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    heads = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", documents(), ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(page.read_text("utf-8")):
        if link.startswith(("http://", "https://")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("page", documents(), ids=name_of)
def test_no_page_names_a_folder_of_one_machine(page: Path) -> None:
    assert not PLACES.search(page.read_text("utf-8"))


def test_every_page_is_found_from_the_map() -> None:
    start = ROOT / "README.md"
    seen = {start}
    left = [start]
    while left:
        page = left.pop()
        for link in LINK.findall(page.read_text("utf-8")):
            target = (page.parent / link.partition("#")[0]).resolve()
            if target.suffix == ".md" and target.exists() and target not in seen:
                seen.add(target)
                left.append(target)
    assert {p for p in documents() if p.is_relative_to(ROOT / "docs")} <= seen
