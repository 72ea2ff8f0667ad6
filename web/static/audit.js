// The audit: what was recalled, decided, kept and forgotten, newest first.

import { get } from "./api.js";
import { day, h, moment, plain } from "./dom.js";

const WORDS = 90;

export async function openAudit(view) {
  const [events, units] = await Promise.all([get("/api/audit?limit=300"), get("/api/memory?status=all")]);
  const said = new Map(units.map((u) => [u.memory_id, u.summary]));
  view.replaceChildren(
    h("section.room", null,
      h("header", null, h("div", null, h("h1", null, "Audit"), h("p.soft.small", null, "Every reading, decision and change, newest first. What was forgotten leaves a line without content."))),
      events.length ? h("ol.trail", null, events.map((event) => line(event, said))) : h("p.empty", null, "Nothing has happened yet.")));
}

/** An event, with the words of the unit that it was about, as they are now. */
function line(event, said) {
  const detail = Object.entries(event.detail ?? {})
    .filter(([, v]) => v !== null && v !== "" && !(Array.isArray(v) && !v.length))
    .map(([k, v]) => `${plain(k)}: ${Array.isArray(v) ? (v.length > 3 ? `${v.length} units` : v.map((x) => String(x).slice(0, 8)).join(", ")) : typeof v === "object" ? JSON.stringify(v) : /^\d{4}-\d\d-\d\dT/.test(v) ? day(v) : v}`);
  const words = said.get(event.memory_id);
  const unit = words ? (words.length > WORDS ? `${words.slice(0, WORDS)}…` : words) : event.memory_id ? `unit ${event.memory_id.slice(0, 8)}` : "";
  return h("li", null, h("span.soft", null, moment(event.at)), h("span", null, h("span.pill", null, plain(event.kind))), h("span.soft", null, [unit, ...detail].filter(Boolean).join(" · ") || `by ${event.owner_sub}`));
}
