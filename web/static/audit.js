// The audit: what was recalled, decided, kept and forgotten, newest first.

import { get } from "./api.js";
import { day, h, moment, plain } from "./dom.js";

export async function openAudit(view) {
  const events = await get("/api/audit?limit=300");
  view.replaceChildren(
    h("section.room", null,
      h("header", null, h("div", null, h("h1", null, "Audit"), h("p.soft.small", null, "Every reading, decision and change, newest first. What was forgotten leaves a line without content."))),
      events.length ? h("ol.trail", null, events.map(line)) : h("p.empty", null, "Nothing has happened yet.")));
}

function line(event) {
  const detail = Object.entries(event.detail ?? {})
    .filter(([, v]) => v !== null && v !== "" && !(Array.isArray(v) && !v.length))
    .map(([k, v]) => `${plain(k)}: ${Array.isArray(v) ? (v.length > 3 ? `${v.length} units` : v.map((x) => String(x).slice(0, 8)).join(", ")) : typeof v === "object" ? JSON.stringify(v) : /^\d{4}-\d\d-\d\dT/.test(v) ? day(v) : v}`);
  const unit = event.memory_id ? `unit ${event.memory_id.slice(0, 8)}` : "";
  return h("li", null, h("span.soft", null, moment(event.at)), h("span", null, h("span.pill", null, plain(event.kind))), h("span.soft", null, [unit, ...detail].filter(Boolean).join(" · ") || `by ${event.owner_sub}`));
}
