// The memory room: everything that is remembered and that this person may see.

import { get, save, send } from "./api.js";
import { arrange, count, doing, h, notice, sure } from "./dom.js";
import { datasets, nameOf, refreshSessions } from "./side.js";
import { unitCard } from "./unit.js";

const TYPES = { "": "All", finding: "Findings", data_quality: "Data quality", user_preference: "Preferences", domain_pattern: "Patterns" };

export async function openMemory(view) {
  const wanted = { dataset: "", memory_type: "", query: "", status: "active" };
  const list = h("ul.units", { "aria-live": "polite" });
  const stats = h("p.soft.small");
  const chips = h("div.chips", { role: "group", "aria-label": "Type" });
  const nothing = h("li.empty", null, "Nothing is remembered here. Ask a question, and what deserves it will be kept.");

  let cards = new Map();
  let latest = 0;
  const load = async () => {
    const mine = ++latest;
    list.setAttribute("aria-busy", "true");
    try {
      const query = new URLSearchParams(Object.entries(wanted).filter(([, v]) => v));
      const [units, figures] = await Promise.all([get(`/api/memory?${query}`), get("/api/memory-stats")]);
      if (mine === latest) show(units, figures); // otherwise the answer to an earlier choice came late
    } finally {
      if (mine === latest) list.setAttribute("aria-busy", "false");
    }
  };

  const show = (units, figures) => {
    // A unit that is as it was keeps its card, with what is open and being written in it.
    const before = cards;
    cards = new Map(units.map((u) => [asItIs(u), before.get(asItIs(u)) ?? unitCard(u, load)]));
    arrange(list, units.length ? [...cards.values()] : [nothing]);
    const active = Object.values(figures.active).reduce((a, b) => a + b, 0);
    stats.textContent = `${active} in force, ${figures.durative} standing, ${figures.pinned} pinned; index ${figures.index}`;
    mark(figures.active);
  };

  const chip = (change) => h("button", { onclick: doing(() => { change(); return load(); }) });
  const types = Object.keys(TYPES).map((type) => [type, chip(() => (wanted.memory_type = type))]);
  const closed = chip(() => (wanted.status = wanted.status === "all" ? "active" : "all"));
  closed.textContent = "Closed ones too";
  chips.append(...types.map(([, button]) => button), closed);
  const mark = (active) => {
    for (const [type, button] of types) {
      button.textContent = type ? `${TYPES[type]} ${active[type] ?? 0}` : TYPES[type];
      button.setAttribute("aria-pressed", String(wanted.memory_type === type));
    }
    closed.setAttribute("aria-pressed", String(wanted.status === "all"));
  };

  let typing;
  const search = h("input", { type: "search", placeholder: "Search by words or meaning", "aria-label": "Search", oninput: (event) => {
    clearTimeout(typing);
    typing = setTimeout(() => { wanted.query = event.target.value; load().catch((e) => notice(e.message, { bad: true })); }, 250);
  } });
  const dataset = h("select", { "aria-label": "Dataset", onchange: doing((event) => { wanted.dataset = event.target.value; return load(); }) },
    h("option", { value: "" }, "All datasets"), datasets().map((d) => h("option", { value: d.key }, nameOf(d.key))));

  view.replaceChildren(
    h("section.room", null,
      h("header", null,
        h("div", null, h("h1", null, "Memory"), stats),
        h("div.row", null,
          h("button", { onclick: doing(() => save("/api/memory-export", "recallyst-memory.json")) }, "Export"),
          h("button.danger", { onclick: (event) => forgetEverything(event.currentTarget, load) }, "Forget everything"))),
      h("div.filters", null, search, dataset), chips, list));
  await load();
}

/** What tells one state of a unit from another: all of it but what the clock alone moves. */
const asItIs = ({ age_days, days_until_expiry, ...rest }) => JSON.stringify(rest);

function forgetEverything(button, load) {
  if (document.getElementById("sure-all")) return;
  const box = sure("Forget everything?", "All your memories, their artifacts and all your sessions go for good.", async () => {
    const gone = await send("POST", "/api/forget", { everything: true });
    box.remove();
    notice(`Forgotten: ${count(gone.forgotten, "memory", "memories")} and ${count(gone.sessions, "session")}.`);
    await Promise.all([load(), refreshSessions()]);
  });
  box.id = "sure-all";
  button.closest("header").after(box);
}
