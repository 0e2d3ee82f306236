"""What the page shows: the first screen, runs, stops, faults, the model, the board."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from tests.browser.page.driving import (
    Opener,
    open_gate,
    run,
    seen,
    send,
    status,
)


class TestFirstScreen:
    def test_offers_requests_that_work(self, open_page: Opener) -> None:
        page = open_page(path="?demo")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        starters = page.locator(".empty li button")
        expect(starters).to_have_count(3)
        expect(status(page)).to_have_text("Ready")
        request = starters.first.inner_text()
        starters.first.click()
        expect(page.locator("article.run h2")).to_have_text(request)

    def test_shows_how_far_the_start_is(self, open_page: Opener) -> None:
        phases = [
            ["download", 0.62, "Loading Python 62 %", "half"],
            ["python", 0, "Starting Python", "python"],
        ]
        page = open_page(prelude=f"globalThis.bootPhases = {json.dumps(phases)};")
        expect(status(page)).to_have_text("Loading Python 62 %")
        assert page.locator(".status progress").evaluate("bar => bar.value") == pytest.approx(0.434)
        expect(page.locator(".status [role=status]")).to_have_text("Loading Python")
        send(page, "#plain sent before the start was over")
        open_gate(page, "half")
        expect(status(page)).to_have_text("Starting Python")
        open_gate(page, "python")
        expect(status(page)).to_have_text(re.compile("^Done in"))

    def test_a_start_that_fails_says_why_and_starts_again(self, open_page: Opener) -> None:
        message = "WebAssembly is blocked, so Python cannot start."
        fault = {"name": "BootError", "message": message, "retryable": False}
        page = open_page(prelude=f"globalThis.bootFault = {json.dumps(fault)};")
        expect(page.get_by_role("alert")).to_contain_text(message)
        expect(status(page)).to_have_text("The agent could not start")
        send(page, "#plain in spite of it")
        expect(page.locator("article.run").get_by_role("alert")).to_contain_text(message)
        page.context.unroute_all()
        page.get_by_role("button", name="Try again").click()
        expect(status(page)).to_have_text(re.compile("^Done in"))


class TestRun:
    def test_tells_that_what_it_cost_is_not_known(self, open_page: Opener) -> None:
        page = open_page()
        send(page, "#priced go")
        expect(status(page)).to_have_text(re.compile(r"^Done in .+ tokens? · cost unknown$"))

    def test_changes_the_page_and_shows_how(self, open_page: Opener) -> None:
        page = open_page(path="?demo")
        send(page, "#plain held note it")
        plan = page.locator(".plan")
        expect(plan.locator(".step")).to_have_attribute("data-state", "waiting")
        expect(plan.locator(".thoughts .label")).to_have_text("Thought")
        open_gate(page, "step")
        expect(status(page)).to_have_text(re.compile(r"^Done in .+ · 1\s240 tokens$"))
        expect(plan.locator(".step")).to_have_attribute("data-state", "done")
        card = plan.locator(".tool")
        expect(card.locator("summary")).to_contain_text("Add a note")
        expect(card.locator("pre").first).to_be_hidden()
        card.locator("summary").click()
        expect(card.locator("pre").first).to_have_text(
            '{\n  "text": "Water the plants on Friday"\n}'
        )
        expect(card.locator("pre").last).to_contain_text('"number": 1')
        expect(card.locator(".meta")).to_have_text(re.compile(r"\d m?s$"))
        expect(page.locator("pagehand-notes li")).to_have_count(1)
        expect(page.locator(".answer strong")).to_have_text("water the plants on Friday")
        assert page.evaluate("pagehandDemo.notes()") == ["Water the plants on Friday"]
        types = page.evaluate("pagehandDemo.events.map((event) => event.type)")
        assert (types[0], types[-1]) == ("run.start", "run.complete")
        assert types.count("step.tool-result") == 1

    def test_shows_revision_failure_and_retry(self, open_page: Opener) -> None:
        card = run(open_page(), "#revise the weekend")
        states = card.locator(".step").evaluate_all("steps => steps.map(s => s.dataset.state)")
        assert states == ["done", "failed", "revised", "done", "done"]
        expect(card.locator("del")).to_have_text("Sort the notes by day")
        expect(card.locator(".because")).to_contain_text("no note about an umbrella")
        expect(card.locator(".tool-error")).to_have_text("There is no note 9. The board is empty.")
        expect(card).not_to_contain_text("misread")
        expect(card).not_to_contain_text("thrown away")
        card.locator(".tool").nth(2).locator("summary").click()
        expect(card.locator(".tool").nth(2)).to_contain_text("Mended")

    def test_tells_of_the_plan_before_the_steps_and_of_the_steps_below(
        self, open_page: Opener
    ) -> None:
        card = run(open_page(), "#planless read")
        marked = card.locator(".notice, .plan, .answer")
        kinds = marked.evaluate_all("all => all.map(each => each.classList[0])")
        assert kinds == ["notice", "plan", "answer", "notice"]
        expect(card.locator(".notice").first).to_contain_text("No plan could be read")
        expect(card.locator(".notice").last).to_contain_text("cut short")

    def test_shows_a_report_that_is_the_answer_only_once(self, open_page: Opener) -> None:
        page = open_page()
        card = run(page, "#planless read")
        expect(card.locator(".answer")).to_have_text("The board could not be read.")
        expect(card.get_by_text("Report")).to_have_count(0)
        expect(run(page, "#plain note it").get_by_text("Report")).to_have_count(1)

    def test_shows_a_model_being_loaded(self, open_page: Opener) -> None:
        page = open_page()
        send(page, "#load hello")
        expect(status(page)).to_have_text("Downloading the model: 41 of 98 MB")
        assert page.locator(".status progress").evaluate("bar => bar.value") == 0.42
        open_gate(page, "loaded")
        expect(page.locator(".answer")).to_have_text("A greeting needs no tool.")
        expect(page.locator(".plan")).to_have_count(0)

    def test_gives_earlier_turns_to_the_next_run(self, open_page: Opener) -> None:
        page = open_page()
        run(page, "#plain first")
        run(page, "#plain second")
        history = seen(page)["runs"][1]["options"]["history"]
        assert [turn["role"] for turn in history] == ["user", "assistant"]
        assert history[0]["content"] == "#plain first"
        assert "plants" in history[1]["content"]

    def test_takes_a_second_request_while_the_first_runs(self, open_page: Opener) -> None:
        page = open_page()
        send(page, "#plain held first")
        expect(page.locator(".step")).to_have_count(1)
        page.get_by_label("Your request").fill("#plain second")
        expect(page.get_by_role("button", name="Stop")).to_be_visible()
        page.get_by_role("button", name="Send").click()
        expect(page.locator("article.run")).to_have_count(2)
        assert len(seen(page)["runs"]) == 1
        waiting = page.locator("article.run").last
        expect(waiting).to_contain_text("Waiting for the run before it")
        open_gate(page, "step")
        expect(page.locator("article.run[data-status=complete]")).to_have_count(2)
        expect(waiting).not_to_contain_text("Waiting")

    def test_follows_the_end_only_while_the_reader_is_there(self, open_page: Opener) -> None:
        page = open_page()
        scroller = page.locator(".scroller")
        distance = "e => Math.round(e.scrollHeight - e.scrollTop - e.clientHeight)"
        run(page, "#revise the weekend")
        expect(page.locator(".answer")).to_contain_text("picture of the hut")
        assert scroller.evaluate(distance) <= 1
        send(page, "#plain held read on")
        expect(page.locator("article.run").last.locator(".step")).to_have_count(1)
        scroller.evaluate("e => new Promise(done => { e.onscroll = done; e.scrollTop = 0; })")
        open_gate(page, "step")
        expect(status(page)).to_have_text(re.compile("^Done in"))
        expect(page.locator(".answer").last).to_contain_text("plants")
        assert scroller.evaluate("e => e.scrollTop") == 0


class TestStop:
    @pytest.mark.parametrize("how", ["button", "Enter", "Escape"])
    def test_keeps_the_partial_answer_and_the_agent(self, open_page: Opener, how: str) -> None:
        page = open_page()
        send(page, "#stream for ever")
        expect(page.locator(".answer")).to_contain_text("And more")
        stop = page.get_by_role("button", name="Stop", exact=True)
        if how == "button":
            stop.click()
        else:
            stop.focus()
            page.keyboard.press(how)
        expect(status(page)).to_have_text(re.compile("^Stopped after"))
        expect(page.locator("article.run footer")).to_contain_text("Stopped after")
        expect(stop).to_have_count(0)
        expect(page.get_by_label("Your request")).to_be_focused()
        expect(page.locator(".answer")).to_contain_text("The first words stand here.")
        run(page, "#plain again")
        assert seen(page)["boots"] == 1

    def test_stops_what_waits_too(self, open_page: Opener) -> None:
        page = open_page()
        send(page, "#stream for ever")
        expect(page.locator(".answer")).to_contain_text("And more")
        send(page, "#plain next")
        page.get_by_role("button", name="Stop all").click()
        expect(page.locator("article.run[data-status=cancelled]")).to_have_count(2)
        expect(status(page)).to_have_text("Stopped before it began")
        assert len(seen(page)["runs"]) == 1

    def test_ends_a_worker_that_does_not_listen(self, open_page: Opener) -> None:
        page = open_page()
        send(page, "#deaf to everything")
        expect(status(page)).to_have_text("Planning")
        page.get_by_role("button", name="Stop").click()
        expect(status(page)).to_have_text(re.compile("^Stopped after"), timeout=20_000)
        run(page, "#plain again")
        assert (seen(page)["boots"], len(seen(page)["runs"])) == (1, 1)

    def test_reaches_a_running_tool(self, open_page: Opener) -> None:
        page = open_page(path="?demo")
        page.evaluate(
            """() => {
              const chat = document.querySelector("pagehand-chat");
              const execute = (_input, { signal, progress }) => new Promise((_, reject) => {
                progress(3, 10, "3 of 10 stars");
                signal.onabort = () => { window.aborted = true; reject(new Error("aborted")); };
              });
              chat.config = { tools: { count_stars: { description: "Counts.", execute } } };
            }"""
        )
        send(page, "#slow count")
        expect(page.locator(".tool .meta")).to_have_text("3 of 10 stars")
        assert page.locator(".tool-progress").evaluate("bar => bar.position") == pytest.approx(0.3)
        page.keyboard.press("Escape")
        expect(status(page)).to_have_text(re.compile("^Stopped after"))
        page.wait_for_function("window.aborted")
        expect(page.locator(".tool")).to_have_attribute("data-state", "failed")


class TestFaults:
    @pytest.mark.parametrize(
        ("scenario", "title", "buttons"),
        [
            ("key", "The key was not accepted", ["Change the model"]),
            ("cors", "The server does not allow this page", ["Try again", "Change the model"]),
            ("network", "The server could not be reached", ["Try again", "Change the model"]),
            ("malformed", "The answer could not be read", ["Try again", "Change the model"]),
            ("timeout", "The model did not answer in time", ["Try again"]),
        ],
    )
    def test_say_what_happened_and_what_to_do(
        self, open_page: Opener, scenario: str, title: str, buttons: list[str]
    ) -> None:
        page = open_page()
        send(page, f"#{scenario} ask")
        card = page.get_by_role("alert")
        expect(card.get_by_role("heading")).to_have_text(title)
        expect(card.get_by_role("button")).to_have_text(buttons)
        again = page.get_by_role("button", name="Run again")
        expect(again).to_have_count(0 if "Try again" in buttons else 1)
        if "Change the model" in buttons:
            card.get_by_role("button", name="Change the model").click()
            expect(page.get_by_role("dialog")).to_be_visible()
            page.keyboard.press("Escape")
        if "Try again" in buttons:
            card.get_by_role("button", name="Try again").click()
            expect(page.locator("article.run[data-status=failed]")).to_have_count(2)
        run(page, "#plain again")

    def test_of_the_worker_itself_leave_the_agent_usable(self, open_page: Opener) -> None:
        page = open_page(expected_faults="out of memory")
        send(page, "#crash now")
        expect(page.get_by_role("alert")).to_contain_text("out of memory")
        expect(page.locator("article.run")).to_have_attribute("data-status", "failed")
        run(page, "#plain again")

    def test_of_a_worker_that_is_not_there_are_told(self, open_page: Opener) -> None:
        page = open_page(prelude="import './missing.js';", expected_faults="404")
        expect(page.get_by_role("alert")).to_contain_text("/worker/agent.js could not be loaded")


class TestNotesBoard:
    def test_is_changed_by_hand_too(self, open_page: Opener) -> None:
        page = open_page(path="?demo")
        board = page.locator("pagehand-notes")
        board.get_by_label("New note").fill("Buy stamps")
        board.get_by_label("New note").press("Enter")
        board.get_by_label("New note").fill("Call the plumber")
        board.get_by_role("button", name="Add").click()
        board.get_by_role("button", name="Remove note 1").click()
        assert page.evaluate("pagehandDemo.notes()") == ["Call the plumber"]
        run(page, "#plain and one more")
        state = page.workers[0].evaluate("""() => seen.created.hooks""")
        assert state == ["describeState"]
        expect(board.locator("li .number")).to_have_text(["2", "3"])

    def test_offers_tools_that_read_and_change_it(self, open_page: Opener) -> None:
        page = open_page()
        expect(status(page)).to_have_text("Ready")
        tools = {tool["name"]: tool for tool in seen(page)["created"]["tools"]}
        assert sorted(tools) == ["add_note", "change_note", "list_notes", "remove_note"]
        assert [name for name, tool in tools.items() if tool.get("readOnly")] == ["list_notes"]
        outcome = page.evaluate(
            """async () => {
              const { notesTools } = await import("./demo_tools.js");
              const tools = notesTools(document.querySelector("pagehand-notes"));
              await tools.add_note.execute({ text: "one" });
              await tools.change_note.execute({ number: 1, text: "two" });
              const read = await tools.list_notes.execute({});
              const unknown = { number: 7, text: "x" };
              const fault = await Promise.try(tools.change_note.execute, unknown)
                .catch((error) => error.message);
              return [read, fault, await tools.remove_note.execute({ number: 1 })];
            }"""
        )
        assert outcome == [
            [{"number": 1, "text": "two"}],
            "There is no note 7. There are: 1.",
            {"removed": 1},
        ]
