// One memory unit: how it stands, where it comes from, what its owner can do with it.

import { get, send } from "./api.js";
import { ago, bar, count, day, doing, figure, h, moment, notice, plain, sure } from "./dom.js";
import { nameOf, refreshSessions } from "./side.js";

export function unitCard(unit, reload) {
  const inside = h("div");
  const below = h("div");
  const active = unit.status === "active";
  const details = h("button.quiet", { "aria-expanded": "false", onclick: doing(async (event) => {
    const button = event.currentTarget ?? details;
    const open = inside.childElementCount > 0;
    inside.replaceChildren(...(open ? [] : [await insideOf(unit)]));
    (button ?? details).setAttribute("aria-expanded", String(!open));
  }) }, "Details");
  return h(active ? "li.unit.card" : "li.unit.card.closed", { "data-memory": unit.memory_id },
    h("div.row", null,
      h("span.pill.mark", null, plain(unit.memory_type)),
      unit.label ? h(`span.pill.${unit.label}`, null, plain(unit.label)) : "",
      h("span.pill.wrap", null, unit.data_source ? nameOf(unit.data_source) : "all datasets"),
      unit.durative ? h("span.pill.warn", null, "standing workaround") : "",
      unit.pinned ? h("span.pill.good", null, "pinned") : "",
      unit.shared ? h("span.pill", null, "shared in the organisation") : "",
      active ? "" : h("span.pill.bad", null, unit.status)),
    h("p", null, unit.summary),
    standing(unit),
    h("div.row.actions", null,
      details,
      active ? h("button.quiet", { onclick: () => correct(unit, below, reload) }, "Correct") : "",
      active ? h("button.quiet", { onclick: doing(() => pin(unit, reload)) }, unit.pinned ? "Unpin" : "Pin") : "",
      h("button.quiet.danger", { onclick: () => forget(unit, below, reload) }, "Forget")),
    below, inside);
}

function standing(unit) {
  const left = unit.days_until_expiry;
  const total = unit.ttl_days ?? 90;
  const countdown = left === null ? "no time limit" : left <= 0 ? "expired" : `${count(Math.ceil(left), "day")} left, until ${day(unit.expires_at)}`;
  return h("div.standing", null,
    h("span", null, "confidence"), bar(unit.confidence, `confidence ${unit.confidence.toFixed(2)}`), h("span", null, unit.confidence.toFixed(2)),
    h("span.seen", null, `seen in ${count(unit.sightings, "session")}`),
    h("span", null, "time left"), bar(left === null ? 1 : left / total, countdown), h("span.wide", null, `${countdown}; ${unit.age_days < 1 ? "from today" : `${ago(unit.age_days)}`}, confirmed ${day(unit.last_confirmed)}`));
}

async function insideOf(unit) {
  const { unit: full, history, events } = await get(`/api/memory/${unit.memory_id}`);
  const p = full.provenance ?? {};
  const rows = [
    ["in words", full.detail],
    ["session", full.session_id],
    ["dataset", full.data_source ?? "all"],
    ["rows then", p.fingerprint?.rows !== undefined ? figure(p.fingerprint.rows) : ""],
    ["data until", p.fingerprint?.newest_event ? day(p.fingerprint.newest_event) : ""],
    ["n", p.n ?? ""], ["p", p.p_value !== null && p.p_value !== undefined ? figure(p.p_value) : ""],
    ["rule", p.rule ?? ""],
    ["said", p.quote ?? ""],
    ["acts as", full.directive ? JSON.stringify(full.directive) : ""],
    ["id", full.memory_id],
  ].filter(([, v]) => v !== "" && v !== null && v !== undefined);
  return h("div.inside", null,
    h("section", null, h("h4", null, "Where it comes from"), h("dl", null, rows.map(([k, v]) => [h("dt", null, k), h("dd", null, String(v))])), 
      h("details", null, h("summary", null, "SQL and step"), [p.sql ?? [], p.signature ?? []].flat().map((s) => h("pre", null, String(s))))),
    h("section", null, h("h4", null, `Versions (${history.length})`),
      h("ol.versions", null, history.map((v) => h(v.status === "active" ? "li.active" : "li", null,
        h("span.soft", null, `version ${v.version}, ${v.status}, ${day(v.said_at)}${v.closed_reason ? `, ${v.closed_reason}` : ""}`), h("div", null, v.summary))))),
    h("section", null, h("h4", null, "What happened to it"),
      h("ol.versions", null, events.map((e) => h("li", null, `${plain(e.kind)} `, h("span.soft", null, `by ${e.owner_sub}, ${moment(e.at)}`))))));
}

function correct(unit, below, reload) {
  const from = document.activeElement;
  const close = () => {
    form.remove();
    from?.focus();
  };
  const field = h("textarea", { rows: 3, maxlength: 2000, "aria-label": "Your wording" });
  field.value = unit.summary;
  const form = h("form.correct", { onkeydown: (event) => event.key === "Escape" && close(), onsubmit: doing(async () => {
    await send("POST", `/api/memory/${unit.memory_id}/correction`, { summary: field.value });
    notice("Kept in your words, as the next version.");
    await reload();
  }) }, field, h("div.row", null, h("button.main", { type: "submit" }, "Keep this wording"), h("button", { type: "button", onclick: close }, "Cancel")));
  below.replaceChildren(form);
  field.focus();
}

async function pin(unit, reload) {
  await send("POST", `/api/memory/${unit.memory_id}/pin`, { pinned: !unit.pinned });
  notice(unit.pinned ? "Its time limit counts again." : "Kept without a time limit.");
  await reload();
}

function forget(unit, below, reload) {
  below.replaceChildren(sure("Forget this?", "It goes for good, with its earlier versions and the sessions that hold it.", async () => {
    const gone = await send("POST", "/api/forget", { memory_id: unit.memory_id });
    notice(`Forgotten: ${count(gone.forgotten, "memory", "memories")} and ${count(gone.sessions, "session")}.`);
    await Promise.all([reload(), refreshSessions()]);
  }));
}
