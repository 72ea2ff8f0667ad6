// The report of a turn: the answer, what carries it, what was applied, what is remembered.

import { save } from "./api.js";
import { draw, titleOf } from "./charts.js";
import { blocks, count, doing, figure, h, plain, short } from "./dom.js";

const OPEN_FINDINGS = 6;
const KINDS = ["stored", "reconfirmed", "superseded", "resolved", "forgotten"];

export function reportOf(d) {
  const boxes = [];
  const findings = d.findings.map((f, n) => findingCard(f, n + 1, d, boxes));
  const element = h("div.report", null,
    h("section.answer.card", { "aria-label": "Answer" }, verdictLine(d.verdict, d.answer), blocks(d.answer || "Nothing was measured.")),
    comparison(d.comparison ?? []),
    findings.length ? h("h3.part", null, "Findings") : "",
    findings.slice(0, OPEN_FINDINGS),
    more(findings.slice(OPEN_FINDINGS)),
    facts("Applied to the data", d.applied.map((a) => [a.effect, a.recalled ? "from memory" : "found now"])),
    facts("Good to know about the data", [...d.data_quality.map((q) => [q.statement]), ...d.dataset.notes.map((n) => [n])]),
    facts("Note", d.warnings.map((w) => [w])),
    d.plan.length || KINDS.some((k) => d.memory[k]?.length) ? remembered(d.memory) : "",
    method(d));
  // Drawn once they are in the page, where they learn how wide they are.
  requestAnimationFrame(() => boxes.forEach(([box, spec]) => drawWhenSeen(box, spec)));
  return element;
}

function drawWhenSeen(box, spec) {
  new IntersectionObserver((entries, observer) => {
    if (!entries.some((e) => e.isIntersecting)) return;
    observer.disconnect();
    draw(box, spec);
  }, { rootMargin: "300px" }).observe(box);
}

function verdictLine(verdict, answer) {
  if (!verdict) return "";
  const tone = { holds: "good", weakened: "warn", reversed: "bad", gone: "bad", cannot_tell: "" }[verdict.verdict] ?? "";
  return h("div.verdict", null, h(tone ? `span.pill.${tone}` : "span.pill", { "data-verdict": verdict.verdict }, plain(verdict.verdict)), answer.includes(verdict.reason) ? "" : h("span.soft.wrap", null, verdict.reason ?? ""));
}

function findingCard(f, n, d, boxes) {
  const e = f.evidence;
  const said = d.answer.includes(f.statement);
  const heading = titleOf(f.chart) ?? short(f.statement, 96);
  const box = f.chart ? h("div.chart", { role: "img", "aria-label": f.statement }) : "";
  if (box) boxes.push([box, f.chart]);
  const tested = e.p_value === null || e.p_value === undefined ? "" : `${e.test}, p ${e.p_value < 0.001 ? "< 0.001" : figure(Number(e.p_value.toPrecision(3)))}`;
  return h("article.finding.card", { id: f.id },
    h("h3", null, `${n}. ${heading}`),
    (said && titleOf(f.chart)) || heading === f.statement ? "" : h("p.statement", null, f.statement),
    h("div.row", null, h(`span.pill.${f.label}`, null, `${plain(f.label)} ${f.confidence.toFixed(2)}`), h("span", null, `n = ${figure(e.n)}`), tested ? h("span", null, tested) : "", effectOf(e.effect)),
    box,
    (e.caveats ?? []).map((c) => h("p.small.soft.wrap", null, c)),
    numbers(e.table),
    h("details", null, h("summary", null, "SQL and method"),
      h("p.small.wrap", null, methodOf(f, d)),
      (e.sql ?? []).map((s) => h("pre", null, s))));
}

function effectOf(effect) {
  if (!effect) return "";
  const range = effect.low === null || effect.low === undefined ? "" : ` (95 % ${figure(Number(effect.low.toPrecision(3)))} to ${figure(Number(effect.high.toPrecision(3)))})`;
  return h("span", null, `${plain(effect.name)} ${figure(Number(effect.value.toPrecision(3)))}${range}`);
}

function methodOf(f, d) {
  const step = d.plan.find((s) => s.signature === f.evidence.step);
  const why = step?.reason ? `${step.kind}: ${step.reason}. ` : "";
  const corrected = f.evidence.q_value === null || f.evidence.q_value === undefined ? "" : ` Corrected over all tests of this battery: ${figure(Number(f.evidence.q_value.toPrecision(3)))}.`;
  return `${why}${f.evidence.test ? `Test: ${f.evidence.test}.` : "An exact figure."}${corrected}`;
}

function numbers(table) {
  if (!table?.length) return "";
  const names = Object.keys(table[0]);
  const cell = (v) => h(typeof v === "number" ? "td.n" : "td", null, figure(v));
  return h("details", null, h("summary", null, "Numbers"), h("div.scroll", null, h("table", null,
    h("thead", null, h("tr", null, names.map((n) => h("th", { scope: "col" }, n)))),
    h("tbody", null, table.map((row) => h("tr", null, names.map((n) => cell(row[n]))))))));
}

function comparison(rows) {
  if (!rows.length) return "";
  const line = (r) => h("tr", { title: r.reason }, h("td.long.wrap", null, r.statement_before), h("td", null, figure(r.then)), h("td", null, figure(r.now ?? "–")), h("td", null, figure(r.change ?? "–")), h("td", null, plain(r.verdict)));
  return [h("h3.part", null, "Then and now"), h("div.card.scroll", null, h("table", null,
    h("thead", null, h("tr", null, ["Finding", "Then", "Now", "Change", "Verdict"].map((t) => h("th", { scope: "col" }, t)))),
    h("tbody", null, rows.map(line))))];
}

const more = (cards) => (cards.length ? h("details", null, h("summary", null, `${cards.length} more findings`), cards) : "");

function facts(title, lines) {
  if (!lines.length) return "";
  return [h("h3.part", null, title), h("ul.facts.card", null, lines.map(([text, from]) => h("li", null, text, from ? [" ", h("span.pill", null, from)] : "")))];
}

function remembered(memory) {
  const pills = KINDS.filter((k) => memory[k]?.length).map((k) => h(k === "stored" || k === "reconfirmed" ? "span.pill.good" : "span.pill.warn", null, `${memory[k].length} ${k}`));
  const dropped = memory.dropped.length ? h("details", null, h("summary", null, `${memory.dropped.length} not kept`), h("ul.small", null, memory.dropped.map((x) => h("li.wrap", null, `${x.statement} `, h("span.soft", null, x.reason))))) : "";
  return [h("h3.part", null, "Remembered"), h("div.card", null, h("div.tally", { id: "remembered" }, pills.length ? pills : h("span.soft", null, "Nothing new."), h("a.small", { href: "#/memory" }, "Open the memory room")), dropped)];
}

function method(d) {
  if (!d.plan.length) return "";
  const skipped = d.skipped.map((s) => h("li.wrap", null, `${s.what} `, h("span.soft", null, s.reason)));
  return [h("h3.part", null, "Method"), h("div.card", null,
    h("p.small.soft", null, `${count(d.usage.steps, "step")}, ${count(d.usage.rows_scanned, "row")} scanned, mode ${d.mode}. Tests found by scanning are corrected with Benjamini-Hochberg, stated ones with Holm.`),
    d.plan.length ? h("details", null, h("summary", null, "The battery"), h("ol.small", null, d.plan.map((s) => h("li.wrap", null, `${s.kind}${s.reason ? `: ${s.reason}` : ""}`)))) : "",
    skipped.length ? h("details", null, h("summary", null, `${skipped.length} left out, with reasons`), h("ul.small", null, skipped)) : "",
    h("div.row", null, h("button", { onclick: doing(() => save(`/api/sessions/${d.session_id}/report`, `recallyst-${d.session_id.slice(0, 8)}.html`)) }, "Save the report as a file")))];
}
