// The talk about one dataset: an empty page with ideas, or a session with its turns.

import { follow, get, newThread, Refused, run, runsOf, stop } from "./api.js";
import { announce, blocks, doing, h, notice } from "./dom.js";
import { gateCard } from "./gate.js";
import { progressCard } from "./progress.js";
import { reportOf } from "./report.js";
import { card, chosen, choose, datasets, dropSession, foldSide, nameOf, refreshSessions } from "./side.js";

/** Open the talk in `view`; returns what to do when it is left. */
export async function openAsk(view, threadId) {
  const talk = new Talk(view, threadId ?? null);
  await talk.open();
  return () => talk.leave();
}

class Talk {
  constructor(view, threadId) {
    this.thread = threadId;
    this.turns = h("div");
    this.foot = h("div");
    this.composer = composer((question, mode) => this.ask(question, mode));
    this.left = new AbortController();
    this.view = view;
    this.redraw = () => !this.thread && this.turns.replaceChildren(opening((q) => this.ask(q, "")));
  }

  async open() {
    this.view.replaceChildren(this.turns, this.foot, this.composer.element);
    window.addEventListener("dataset", this.redraw, { signal: this.left.signal });
    if (!this.thread) return this.redraw();
    const session = await this.#read();
    if (!session) return undefined;
    const dataset = session.document?.dataset.key;
    if (dataset && dataset !== chosen() && datasets().some((d) => d.key === dataset)) await choose(dataset);
    this.#showSession(session);
    const active = (await runsOf(this.thread)).find((r) => r.status === "running" || r.status === "pending");
    if (active) await this.#watch(this.#lastTurn(), follow(this.thread, active.run_id, this.left.signal), { runId: active.run_id });
    else if (session.running) this.turns.append(this.#cutOff());
    return undefined;
  }

  /** The session, or null where it cannot be shown: then the page says why, and where to go on. */
  async #read() {
    try {
      return await get(`/api/sessions/${this.thread}`);
    } catch (error) {
      if (error instanceof Refused) throw error;
      this.view.replaceChildren(h("div.card.error", { role: "alert" },
        h("p.wrap", null, error.message), h("p", null, h("a", { href: "#/ask" }, "Begin a new session"))));
      return null;
    }
  }

  leave() {
    this.left.abort();
  }

  async ask(question, mode) {
    const first = !this.thread;
    foldSide();
    if (first) {
      this.thread = (await newThread({ title: question.slice(0, 120), dataset: chosen() })).thread_id;
      this.turns.replaceChildren();
      history.replaceState(null, "", `#/ask/${this.thread}`);
    }
    const input = { question, mode: mode || null, ...(first ? { dataset: chosen() } : {}) };
    if (first) refreshSessions(this.thread);
    const turn = this.#turn(question);
    await this.#watch(turn, run(this.thread, { input }, this.left.signal), { unasked: () => turn.remove() });
  }

  #turn(question) {
    const turn = h("section.turn", { "aria-label": question }, h("h2", null, question));
    this.turns.append(turn);
    turn.scrollIntoView({ block: "start", behavior: "smooth" });
    return turn;
  }

  #lastTurn() {
    return [...this.turns.querySelectorAll(".turn")].at(-1) ?? this.#turn("…");
  }

  /** Show the progress of a run in a turn, and then what came of it; where none was begun, call `unasked` and throw. */
  async #watch(turn, events, { runId = null, unasked = () => {} } = {}) {
    this.composer.busy(true);
    const progress = progressCard(doing(() => runId && stop(this.thread, runId)));
    turn.append(progress.element);
    let fault = null;
    try {
      for await (const { event, data } of events) {
        if (event === "metadata") runId = data.run_id;
        else if (event.startsWith("custom")) progress.hear(data);
        else if (event === "error") fault = new Error(data?.message ?? "The server stopped this question.");
      }
    } catch (error) {
      if (this.left.signal.aborted) return;
      fault = error;
    }
    progress.element.remove();
    this.composer.busy(false);
    if (fault && !runId) {
      unasked();
      throw fault;
    }
    if (fault) turn.append(faultCard(fault.message));
    else {
      const session = await get(`/api/sessions/${this.thread}`);
      this.#showOutcome(turn, session);
      announce(session.document?.status === "waiting" ? "The gate asks what to do with what is known." : "The answer is there.");
    }
    turn.scrollIntoView({ block: "start" });
    // The keyboard goes on from the gate, unless somebody is somewhere else or writes the next question.
    const at = document.activeElement;
    if (at === document.body || (this.composer.element.contains(at) && this.composer.empty())) {
      turn.querySelector(".gate")?.focus({ preventScroll: true });
    }
    await refreshSessions();
  }

  #showOutcome(turn, session) {
    const { document: d, running } = session;
    if (d?.status === "waiting") turn.append(gateCard(d, nameOf(d.dataset.key), (mode) => this.#choose(turn, mode)));
    else if (running) turn.append(this.#cutOff());
    else if (d) turn.append(reportOf(d));
  }

  async #choose(turn, mode) {
    const [gate, said] = [turn.querySelector(".gate"), h("p.meta", null, `You chose ${mode}.`)];
    gate.replaceWith(said);
    turn.scrollIntoView({ block: "start" });
    await this.#watch(turn, run(this.thread, { command: { resume: { mode } } }, this.left.signal), { unasked: () => said.replaceWith(gate) });
  }

  /** Earlier turns in words, the last one whole. */
  #showSession({ document: d, said }) {
    const lastAsked = said.findLastIndex((m) => m.role === "user");
    for (const [n, message] of said.slice(0, d ? Math.max(lastAsked, 0) : said.length).entries()) {
      if (message.role === "user") this.turns.append(h("section.turn", null, h("h2", null, message.text)));
      else this.turns.lastElementChild?.append(h("details.card", { open: n > lastAsked - 2 }, h("summary", null, "The answer then"), h("div.said", null, blocks(message.text.replaceAll("**", "")))));
    }
    if (d) this.#showOutcome(this.#turn(d.question), { document: d, running: false });
    this.foot.replaceChildren(h("div.row", null, h("button.quiet.danger", { onclick: doing(() => this.#drop()) }, "Delete this session")));
  }

  async #drop() {
    await dropSession(this.thread);
    notice("The session is deleted. What it taught stays in the memory room.");
    location.hash = "#/ask";
  }

  #cutOff() {
    const card_ = h("div.card.error", null, h("p", null, "This question was cut off before it was answered."),
      h("div.row", null, h("button.main", { onclick: doing(async () => {
        const turn = this.#lastTurn();
        card_.remove();
        await this.#watch(turn, run(this.thread, { input: null }, this.left.signal), { unasked: () => turn.append(card_) });
      }) }, "Finish it")));
    return card_;
  }
}

function faultCard(message) {
  return h("div.card.error", { role: "alert" }, h("p.wrap", null, message.charAt(0).toUpperCase() + message.slice(1)));
}

function opening(ask) {
  const key = chosen();
  if (!key) return h("div.opening", null, h("h1", null, "Bring some data"), h("p", null, "Upload a CSV, Parquet or JSON file, and ask about it in your own words."));
  return h("div.opening", null,
    h("h1", null, `What would you like to know about ${nameOf(key)}?`),
    h("p", null, "Ask in your own words. The answer comes with its numbers, its charts and the SQL behind them, and what deserves it is remembered for next time."),
    h("div.ideas", null, ideas().map((idea) => h("button", { onclick: doing(() => ask(idea)) }, idea))));
}

function ideas() {
  const found = card();
  const role = (name) => found?.columns.find((c) => c.role === name)?.name;
  const measures = found?.columns.filter((c) => c.role === "measure").map((c) => c.name) ?? [];
  const measure = measures.find((m) => /revenue|sales|turnover/i.test(m)) ?? measures.find((m) => /amount|total|cost|price/i.test(m)) ?? measures[0];
  const [time, group] = [found?.time_column, role("dimension")];
  return [
    measure && time ? `How does ${measure} develop over time?` : "",
    measure && group ? `Which ${group} has the highest ${measure}?` : "",
    "What stands out?",
  ].filter(Boolean);
}

function composer(ask) {
  const field = h("textarea", { rows: 1, id: "question", "aria-label": "Your question", placeholder: "Ask in your own words", maxlength: 4000, required: true });
  const mode = h("select", { id: "mode", "aria-label": "What to do with what is known" },
    [["", "If something is known: ask me"], ["auto", "If something is known: decide"], ["fresh", "Start fresh"], ["extend", "Extend"], ["revalidate", "Revalidate"], ["re-run", "Re-run"]].map(([v, t]) => h("option", { value: v }, t)));
  const button = h("button.main", { type: "submit" }, "Ask");
  const submit = doing(async () => {
    const question = field.value.trim();
    if (!question) return;
    field.value = "";
    const chosenMode = mode.value;
    mode.value = "";
    try {
      await ask(question, chosenMode);
    } catch (error) {
      // Nothing was asked; the words are not lost.
      field.value ||= question;
      mode.value = chosenMode;
      throw error;
    }
  });
  const form = h("form", { onsubmit: submit }, field, h("div.row", null, mode, button));
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      if (!button.disabled) form.requestSubmit(button);
    }
  });
  return { element: h("div.composer", null, form), busy: (yes) => (button.disabled = yes), empty: () => !field.value };
}
