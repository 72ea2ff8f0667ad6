// The memory room: everything that is remembered and that this person may see.

import { get, save, send } from "./api.js";
import { count, doing, h, notice, sure } from "./dom.js";
import { datasets, nameOf, refreshSessions } from "./side.js";
import { unitCard } from "./unit.js";

const TYPES = { "": "All", finding: "Findings", data_quality: "Data quality", user_preference: "Preferences", domain_pattern: "Patterns" };

export async function openMemory(view) {
  const wanted = { dataset: "", memory_type: "", query: "", status: "active" };
  const list = h("ul.units", { "aria-live": "polite" });
  const stats = h("p.soft.small");
  const chips = h("div.chips", { role: "group", "aria-label": "Type" });

  const load = async () => {
    const query = new URLSearchParams(Object.entries(wanted).filter(([, v]) => v));
    const [units, figures] = await Promise.all([get(`/api/memory?${query}`), get("/api/memory-stats")]);
    list.replaceChildren(...units.map((u) => unitCard(u, load)));
    if (!units.length) list.replaceChildren(h("li.empty", null, "Nothing is remembered here. Ask a question, and what deserves it will be kept."));
    const active = Object.values(figures.active).reduce((a, b) => a + b, 0);
    stats.textContent = `${active} in force, ${figures.durative} standing, ${figures.pinned} pinned; index ${figures.index}`;
    drawChips(figures.active);
  };

  const drawChips = (active) =>
    chips.replaceChildren(
      ...Object.entries(TYPES).map(([type, title]) =>
        h("button", { "aria-pressed": String(wanted.memory_type === type), onclick: doing(() => { wanted.memory_type = type; return load(); }) },
          type ? `${title} ${active[type] ?? 0}` : title)),
      h("button", { "aria-pressed": String(wanted.status === "all"), onclick: doing(() => { wanted.status = wanted.status === "all" ? "active" : "all"; return load(); }) }, "Closed ones too"));

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
