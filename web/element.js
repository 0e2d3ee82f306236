// <pagehand-chat>: an agent with its conversation, ready to stand in any page.
//
//   <pagehand-chat></pagehand-chat>
//   <script type="module">
//     import "./element.js";
//     document.querySelector("pagehand-chat").config = { tools: { … } };
//   </script>
//
// What stands in the slot "side" is shown beside the conversation; `side-label` names it.

import { Chat } from "./chat.js";
import { localName } from "./model_pick.js";
import { createRef, html, nothing, ref, render, repeat, guard } from "./vendor/lit-html.js";
import { composer } from "./ui/composer.js";
import { emptyState } from "./ui/empty_state.js";
import { errorCard } from "./ui/error_card.js";
import { header } from "./ui/header.js";
import { icons } from "./ui/icons.js";
import "./ui/model_dialog.js";
import { runCard } from "./ui/run_card.js";
import { statusLine, statusOf } from "./ui/status_line.js";
import { styleSheets } from "./ui/styles.js";

/**
 * @typedef {object} Welcome  the first screen
 * @property {string} heading
 * @property {string} text
 * @property {string[]} starters  requests that work with the tools of the page
 *
 * @typedef {import("./pagehand.js").AgentConfig} AgentConfig
 * @typedef {{name: string, text: string}} OwnModel  the model that the page comes with, in words
 */

/** Below this width the side column becomes a drawer, in CSS pixels. */
const DRAWER_BELOW = 900;

/** @type {OwnModel} */
const ON_THIS_DEVICE = {
  name: "On this device",
  text: "The small model that comes with this site. It needs no key, and nothing leaves this device.",
};

/** Nearer to the end than this, a reader counts as being there, in CSS pixels. */
const NEAR_END = 48;

export class PagehandChat extends HTMLElement {
  /** @type {Welcome} */
  welcome = { heading: "What shall I do?", text: "Ask for something in your own words.", starters: [] };
  /** What the page's own model is called; told from the config when not given. @type {OwnModel | null} */
  ownModel = null;

  /** @type {AgentConfig | undefined} */
  #config;
  /** @type {Chat | null} */
  #chat = null;
  #draft = "";
  #narrow = false;
  #sideOpen = true;
  #hasSide = false;
  #following = true;
  #frame = 0;
  /** Draws the passing seconds of a run. @type {ReturnType<typeof setTimeout> | undefined} */
  #clock;
  #root = this.attachShadow({ mode: "open" });
  #dialog = createRef();
  #scroller = createRef();
  #column = createRef();
  #growth = new ResizeObserver(() => this.#followEnd());
  #width = new ResizeObserver(([entry]) => this.#setNarrow((entry?.contentRect.width ?? 0) < DRAWER_BELOW));

  constructor() {
    super();
    this.#root.adoptedStyleSheets = styleSheets;
  }

  /** What `createAgent` takes. Setting it starts the agent, anew if there was one. */
  get config() {
    return this.#config ?? {};
  }

  set config(config) {
    this.#config = config;
    if (this.isConnected) this.#start();
  }

  connectedCallback() {
    this.#width.observe(this);
    this.addEventListener("keydown", this.#onKey);
    this.#setNarrow(this.getBoundingClientRect().width < DRAWER_BELOW);
    if (this.#config) this.#start();
    // A page that gives a config does so in the script that imported this one.
    else setTimeout(() => this.isConnected && !this.#chat && this.#start());
  }

  disconnectedCallback() {
    this.#width.disconnect();
    this.#growth.disconnect();
    this.removeEventListener("keydown", this.#onKey);
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    clearTimeout(this.#clock);
    this.#chat?.close();
    this.#chat = null;
  }

  /** Sends a request as if it had been typed. @param {string} request */
  send(request) {
    this.#following = true;
    this.#chat?.send(request);
  }

  /** Stops what runs and what waits. */
  stop() {
    this.#chat?.stop();
  }

  #start() {
    this.#chat?.close();
    this.#chat = new Chat(this.config);
    this.#chat.addEventListener("change", this.#schedule);
    this.#render();
  }

  /** However many events come, the page is drawn once a frame. */
  #schedule = () => {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#render();
    });
  };

  #onSend = () => {
    const request = this.#draft.trim();
    this.#draft = "";
    this.send(request);
  };

  /** @param {KeyboardEvent} event */
  #onKey = (event) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    if (this.#narrow && this.#sideOpen) this.#toggleSide();
    else this.#onStop();
  };

  #onStop = () => {
    if (!this.#chat?.running) return;
    this.stop();
    this.#focus(".composer textarea"); // the button that was pressed goes away
  };

  #openDialog = () => /** @type {import("./ui/model_dialog.js").ModelDialog} */ (this.#dialog.value).open();

  #toggleSide = () => {
    this.#sideOpen = !this.#sideOpen;
    this.#render();
    if (this.#narrow) this.#focus(this.#sideOpen ? "aside .close" : "header [aria-expanded]");
  };

  /** @param {string} selector */
  #focus(selector) {
    /** @type {HTMLElement | null} */ (this.#root.querySelector(selector))?.focus();
  }

  /** @param {boolean} narrow */
  #setNarrow(narrow) {
    if (narrow === this.#narrow) return;
    this.#narrow = narrow;
    this.#sideOpen = !narrow;
    if (this.#chat) this.#render();
  }

  #onScroll = () => {
    const { scrollHeight, scrollTop, clientHeight } = /** @type {HTMLElement} */ (this.#scroller.value);
    this.#following = scrollHeight - scrollTop - clientHeight < NEAR_END;
  };

  #followEnd() {
    const scroller = this.#scroller.value;
    if (scroller && this.#following) scroller.scrollTop = scroller.scrollHeight;
  }

  /** @param {Event} event */
  #onSideChange = (event) => {
    this.#hasSide = /** @type {HTMLSlotElement} */ (event.target).assignedElements().length > 0;
    this.#render();
  };

  #render() {
    const chat = this.#chat;
    if (!chat) return;
    const drawer = this.#narrow && this.#sideOpen;
    render(
      html`
        <div class="frame" data-narrow=${this.#narrow} data-side=${this.#hasSide && this.#sideOpen}>
          <div class="main" ?inert=${drawer}>
            ${header({
              model: this.#modelShown(chat.model),
              canClear: chat.runs.length > 0,
              side: this.#hasSide ? { label: this.#sideLabel, open: this.#sideOpen } : null,
              onModel: this.#openDialog,
              onClear: () => chat.clear(),
              onSide: this.#toggleSide,
            })}
            <div class="scroller" ${ref(this.#scroller)} @scroll=${this.#onScroll}>
              <div class="column" ${ref(this.#column)}>${this.#conversation(chat)}</div>
            </div>
            <div class="dock">
              ${statusLine(
                statusOf({
                  boot: chat.boot,
                  failed: chat.bootError !== null,
                  run: chat.current?.state,
                  now: performance.now(),
                }),
              )}
              ${composer({
                draft: this.#draft,
                running: chat.running,
                waiting: chat.waiting,
                onDraft: (draft) => {
                  this.#draft = draft;
                  this.#render();
                },
                onSend: this.#onSend,
                onStop: this.#onStop,
              })}
            </div>
          </div>
          ${drawer ? html`<div class="scrim" @click=${this.#toggleSide}></div>` : nothing}
          <aside ?inert=${!this.#sideOpen} aria-label=${this.#sideLabel}>
            ${drawer
              ? html`<button class="plain close" aria-label="Close" @click=${this.#toggleSide}>${icons.close}</button>`
              : nothing}
            <slot name="side" @slotchange=${this.#onSideChange}></slot>
          </aside>
        </div>
        <pagehand-model-dialog ${ref(this.#dialog)} .pick=${chat.model} .own=${this.#ownModel} .models=${chat}
          .onPick=${this.#onPick}></pagehand-model-dialog>
      `,
      this.#root,
    );
    this.#growth.observe(/** @type {Element} */ (this.#column.value));
    this.#followEnd();
    clearTimeout(this.#clock);
    if (chat.running) this.#clock = setTimeout(this.#schedule, 1000);
  }

  /** @returns {OwnModel} */
  get #ownModel() {
    if (this.ownModel) return this.ownModel;
    const ladder = [this.config.model ?? []].flat();
    if (ladder.length === 0) return ON_THIS_DEVICE;
    const name = ladder.map((each) => (typeof each === "string" ? each : each.model)).join(", then ");
    return { name, text: "The model that this page has chosen." };
  }

  /** @param {import("./model_pick.js").ModelPick} pick */
  #onPick = (pick) => this.#chat?.useModel(pick);

  /**
   * What takes another name for the model that failed, where that model is the picked one.
   * @param {string} goal
   * @param {import("./events.js").Fault | null} error
   * @returns {((name: string) => void) | null}
   */
  #renaming(goal, error) {
    const pick = this.#chat?.model;
    const { provider, model } = error?.details ?? {};
    if (pick?.kind !== "provider" || pick.providerType !== provider || pick.model !== model) return null;
    return (name) => {
      this.#chat?.useModel({ ...pick, model: name });
      this.send(goal);
    };
  }

  /** @param {import("./model_pick.js").ModelPick} model */
  #modelShown(model) {
    switch (model.kind) {
      case "default":
        return { name: this.#ownModel.name, here: true };
      case "device":
        return { name: localName(model.model), here: true };
      case "provider":
        return { name: model.model, here: false };
    }
  }

  get #sideLabel() {
    return this.getAttribute("side-label") ?? "Side";
  }

  /** @param {Chat} chat */
  #conversation(chat) {
    if (chat.runs.length === 0) {
      return chat.bootError
        ? errorCard({
            error: chat.bootError,
            onRetry: () => chat.restart(),
            onChangeModel: this.#openDialog,
            onUseName: null,
          })
        : emptyState({ ...this.welcome, onStart: (request) => this.send(request) });
    }
    return repeat(
      chat.runs,
      (run) => run.key,
      (run) => {
        const latest = run === chat.runs.at(-1);
        return guard([run.state, latest, chat.model], () =>
          runCard({
            run: run.state,
            latest,
            toolTitle: this.#toolTitle,
            onRetry: () => this.send(run.state.goal),
            onChangeModel: this.#openDialog,
            onUseName: this.#renaming(run.state.goal, run.state.error),
          }),
        );
      },
    );
  }

  /** @param {string} name */
  #toolTitle = (name) => {
    const { tools } = this.config;
    const tool = Array.isArray(tools) ? tools.find((each) => each.name === name) : tools?.[name];
    return tool?.title ?? name;
  };
}

customElements.define("pagehand-chat", PagehandChat);
