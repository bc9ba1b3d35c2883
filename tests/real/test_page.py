"""The page in a real browser: by mouse, by keyboard, hostile, dark, printed, by the rules of axe."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from benchmarks.page import FLAGS, find_chromium
from benchmarks.page_sample import book, make_sample
from pytest_reviewbench.model import Finding, Review
from pytest_reviewbench.report.build import build_report
from pytest_reviewbench.report.page.writing import write_page
from tests.real.agent_programs import Package, Unavailable, installed
from tests.unit.runs.making import make_run

AXE = Package("axe", "axe-core", "4.11.0")
HOSTILE = (
    "</script><script>window.bad=1</script><img src=x onerror='window.bad=1'><svg onload=window.bad=1>"
    "javascript:window.bad=1 \u202e\u2066gnp.exe " + "W" * 3_000
)


@pytest.fixture(scope="module", name="browser")
def _browser() -> Iterator[Browser]:
    program = find_chromium()
    if program is None:
        pytest.skip("no Chromium on PATH: apt-get install chromium")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=program, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="module", name="file")
def _file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    runs = make_sample(folder, 30)
    write_page(folder / "report.html", build_report(runs), runs, book(folder), reveal=True)
    return folder / "report.html"


def opened(browser: Browser, file: Path, where: str = "", **context: object) -> tuple[Page, list[str]]:
    """The page, ready, and what is wrong with it: errors of its console, and requests for anything but itself."""
    page = browser.new_context(**context).new_page()  # type: ignore[arg-type]
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda asked: None if asked.url.startswith(file.as_uri()) else wrong.append(asked.url))
    page.goto(file.as_uri() + where)
    page.wait_for_selector("html[data-ready]", state="attached")
    return page, wrong


def test_cases_are_filtered_searched_and_opened_by_mouse(browser: Browser, file: Path) -> None:
    page, wrong = opened(browser, file)
    assert page.locator("#count").inner_text() == "30 of 30 cases"
    page.select_option("#lang", "shell")
    assert page.locator("#count").inner_text() == "10 of 30 cases"
    page.select_option("#outcome", "clean")
    assert page.locator("#grid tbody tr").count() < 10
    page.click("#filters button[type=reset]")
    page.fill("#search", "no such words")
    page.get_by_text("No case is like this.").wait_for()
    page.fill("#search", "PY-0001")
    expect(page.locator("#count")).to_have_text("1 of 30 cases")
    page.click("#filters button[type=reset]")
    expect(page.locator("#count")).to_have_text("30 of 30 cases")
    page.locator("#grid button.cell.hit").first.click()
    case = page.locator("#case")
    assert case.locator("tr.here .finding.match").count() == 1  # in its place, behind its line
    assert "matches b1" in case.inner_text()
    assert "Known bug b1" in case.inner_text()
    assert "It names the mechanism" in case.inner_text()
    before = page.locator("#case-title").inner_text()
    page.click("#next")
    assert page.locator("#case-title").inner_text() != before
    page.locator("#case-arms button").last.click()
    assert page.locator("#case-arms button[aria-pressed=true]").count() == 1
    page.click("#close")
    assert not case.is_visible()
    page.select_option("#number", index=1)
    assert page.locator(".forest:visible").count() == 1
    assert wrong == []


def test_everything_is_reached_by_keyboard_and_focus_comes_back(browser: Browser, file: Path) -> None:
    page, wrong = opened(browser, file)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.locator("#grid button[tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "case-title"
    for _ in range(12):  # a modal dialog lets focus out to nothing but the browser itself
        page.keyboard.press("Tab")
        assert page.evaluate(
            "document.activeElement === document.body || !!document.activeElement.closest('#case')"
        )
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == label
    assert page.locator("#grid button[tabindex='0']").count() == 1
    assert wrong == []


def test_a_link_opens_its_case(browser: Browser, file: Path) -> None:
    page, wrong = opened(browser, file, "#case/sh-0003/perun/1")
    assert page.locator("#case-title").inner_text().startswith("sh-0003")
    assert page.locator("#case-arms button[aria-pressed=true]").inner_text().startswith("perun")
    assert wrong == []


def test_hostile_text_stays_text(browser: Browser, tmp_path: Path) -> None:
    run = make_run(tmp_path / "runs", arm="hostile", cases=("a1",), matcher_versions={"a1": 1})
    finding = Finding(id="f1", text=HOSTILE, file="../" + "w" * 300 + "<b>", line=1, tool="<i>", rule=HOSTILE)
    run.write_review(
        Review(case="a1", arm="hostile", rep=1, status="ok", findings=(finding,), warnings=(HOSTILE,)),
        None,
        HOSTILE,
    )
    run.finish()
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "manifest.json").write_text("[]")
    write_page(tmp_path / "report.html", build_report([run]), [run], book(tmp_path))
    page, wrong = opened(browser, tmp_path / "report.html", "#case/a1/hostile/1")
    said = page.locator("#case .finding p").inner_text()
    assert said.startswith("</script><script>window.bad=1</script><img src=x")
    assert "⟨U+202E⟩⟨U+2066⟩gnp.exe" in said
    assert page.evaluate(
        "window.bad === undefined && !document.querySelector('img, #case script, #case b b, #case i')"
    )
    assert page.evaluate(
        "document.getElementById('case').scrollWidth <= document.getElementById('case').clientWidth"
    )
    assert wrong == []


def test_markup_that_got_in_all_the_same_would_do_nothing(browser: Browser, file: Path) -> None:
    page, wrong = opened(browser, file)
    markup = "<img src=x onerror='window.bad=1'><b onclick='window.bad=1' id=b>b</b>"
    page.evaluate("markup => document.body.insertAdjacentHTML('beforeend', markup)", markup)
    page.evaluate("document.getElementById('b').click()")
    assert page.evaluate("window.bad === undefined")
    assert any("Content Security Policy" in line for line in wrong)
    assert not any(line.startswith("http") for line in wrong)


def test_dark_print_and_narrow_show_the_same(browser: Browser, file: Path) -> None:
    page, wrong = opened(browser, file, color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    page.select_option("#theme", "light")
    light = page.evaluate(ground)
    assert dark != light
    page.select_option("#theme", "dark")
    assert page.evaluate(ground) == dark
    page.emulate_media(media="print")
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    assert not page.locator("#filters").is_visible()
    assert len(page.pdf(print_background=True)) > 20_000
    page.emulate_media(media="screen")
    page.set_viewport_size({"width": 400, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= 400")
    assert wrong == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_rule_of_axe_is_broken(browser: Browser, file: Path, scheme: str) -> None:
    try:
        axe = installed(AXE, "axe-core/axe.min.js").read_text(encoding="utf-8")
    except Unavailable as e:
        pytest.skip(str(e))
    page, _ = opened(browser, file, color_scheme=scheme, bypass_csp=True)
    for shown in ("page", "case"):
        if shown == "case":
            page.locator("#grid button.cell.hit").first.click()
        page.evaluate(axe)
        found = page.evaluate(
            "axe.run().then(r => r.violations.map(v => [v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 200))]))"
        )
        assert found == [], f"{shown}: {json.dumps(found, indent=1)}"
