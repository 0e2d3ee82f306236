"""The page for everybody: narrow windows, keyboards, contrast, motion, forced colours."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.page.driving import Opener, open_gate, overflow, run, send, status


class TestComfort:
    @pytest.mark.parametrize("width", [360, 700, 899, 1280])
    def test_never_scrolls_sideways(self, open_page: Opener, width: int) -> None:
        page = open_page(width)
        assert overflow(page) <= 0
        run(page, "#revise the weekend")
        for summary in page.locator(".tool > summary, .thoughts > summary").all():
            summary.click()
        assert overflow(page) <= 0
        send(page, "#network " + "averylongword" * 30)
        expect(page.get_by_role("alert")).to_be_visible()
        assert overflow(page) <= 0

    def test_turns_the_side_into_a_drawer(self, open_page: Opener) -> None:
        page = open_page(360)
        side = page.get_by_role("complementary")
        expect(side).to_be_hidden()
        page.get_by_role("button", name="Notes").click()
        expect(side).to_be_visible()
        expect(side.get_by_role("button", name="Close")).to_be_focused()
        page.keyboard.press("Escape")
        expect(side).to_be_hidden()
        expect(page.get_by_role("button", name="Notes")).to_be_focused()
        page.set_viewport_size({"width": 1200, "height": 800})
        expect(side).to_be_visible()

    def test_needs_no_mouse(self, open_page: Opener) -> None:
        page = open_page()
        expect(status(page)).to_have_text("Ready")
        request = page.get_by_label("Your request")
        request.focus()
        page.keyboard.type("#plain one")
        page.keyboard.press("Shift+Enter")
        page.keyboard.type("two")
        assert request.input_value() == "#plain one\ntwo"
        page.keyboard.press("Enter")
        expect(status(page)).to_have_text(re.compile("^Done in"))
        expect(request).to_have_value("")
        expect(request).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("article.run")).to_have_count(1)
        summary = page.locator(".tool > summary")
        for _ in range(40):
            page.keyboard.press("Shift+Tab")
            if summary.evaluate("each => each.matches(':focus-visible')"):
                break
        expect(summary).to_be_focused()
        assert summary.evaluate("each => getComputedStyle(each).outlineStyle") == "solid"
        page.keyboard.press("Enter")
        expect(page.locator(".tool")).to_have_attribute("open", "")

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_can_be_read(self, open_page: Opener, scheme: str) -> None:
        page = open_page(color_scheme=scheme)
        ratios = page.evaluate(
            """() => {
              const chat = document.querySelector("pagehand-chat");
              const probe = chat.shadowRoot.appendChild(document.createElement("i"));
              const canvas = document.createElement("canvas");
              const context = canvas.getContext("2d", { willReadFrequently: true });
              const luminance = (role) => {
                probe.style.color = `var(--${role})`;
                context.fillStyle = getComputedStyle(probe).color;
                context.fillRect(0, 0, 1, 1);
                const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map((value) =>
                  value / 255 <= 0.04045 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4);
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
              };
              const ratio = (a, b) => {
                const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
                return (high + 0.05) / (low + 0.05);
              };
              const texts = ["text", "text-soft", "accent", "good", "warn", "bad"];
              const grounds = ["surface", "surface-raised", "code", "accent-faint"];
              const pairs = texts.flatMap((text) => grounds.map((ground) => [text, ground, 4.5]));
              pairs.push(["on-accent", "accent", 4.5]);
              pairs.push(["line-strong", "surface", 3], ["line-strong", "surface-raised", 3]);
              return pairs.map(([a, b, least]) => [a, b, least, ratio(a, b)]);
            }"""
        )
        assert [pair for pair in ratios if pair[3] < pair[2]] == []

    def test_holds_still_where_motion_is_not_wanted(self, open_page: Opener) -> None:
        page = open_page(reduced_motion="reduce")
        send(page, "#plain held")
        expect(page.locator(".step")).to_have_count(1)
        open_gate(page, "step")
        moving = page.evaluate("document.getAnimations().length")
        assert moving == 0

    def test_works_in_forced_colours(self, open_page: Opener) -> None:
        page = open_page(forced_colors="active")
        run(page, "#plain note it")
        expect(page.locator(".answer")).to_be_visible()
        border = page.get_by_role("button", name="Notes").evaluate(
            "b => getComputedStyle(b).borderStyle"
        )
        assert border == "solid"
