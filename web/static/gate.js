// The gate: what is known, what changed in the data, and the one question what to do with it.

import { ago, count, doing, h } from "./dom.js";

const SHOWN = 3;

/** The card of an open gate; `name` is what the person calls the dataset. */
export function gateCard({ gate }, name, choose) {
  const suggested = gate.suggested?.sure === false ? undefined : gate.suggested?.mode;
  const buttons = gate.options.map((option) => modeButton(option, option.mode === suggested, choose));
  return h("section.gate.card", { "aria-label": "The gate", tabindex: -1 },
    h("h3", null, `We know ${count(gate.prior_findings.length, "thing")} about ${name} already`),
    h("p.soft", null, "Before anything is planned: what should be done with it?"),
    gate.note ? h("p.changed.same", { role: "alert" }, gate.note) : "",
    priorList(gate.prior_findings),
    gate.data_changed ? whatChanged(gate.data_changed) : "",
    h("fieldset.modes", null,
      h("legend", null, lead(gate.suggested)),
      buttons));
}

function whatChanged({ kind, summary }) {
  return kind === "unchanged" ? h("p.changed.same", null, summary) : h("p.changed", null, h("strong", null, "In the data: "), summary);
}

function priorList(prior) {
  const list = (some) => h("ul.prior", null, some.map(priorLine));
  if (prior.length <= SHOWN) return list(prior);
  return [list(prior.slice(0, SHOWN)), h("details", null, h("summary", null, `${prior.length - SHOWN} more`), list(prior.slice(SHOWN)))];
}

function priorLine(p) {
  const left = p.days_until_expiry === null ? "no time limit" : `${count(Math.max(0, Math.round(p.days_until_expiry)), "day")} left`;
  return h("li", null,
    h("p.lines", { title: p.summary }, p.summary),
    h("span.small.soft", null, h(`span.pill.${p.label}`, null, `${(p.label ?? "").replaceAll("_", " ")} ${p.confidence.toFixed(2)}`), ` found ${ago(p.age_days)}, ${left}, seen in ${count(p.sightings, "session")}`));
}

function lead(suggested) {
  if (!suggested) return "Choose one";
  if (suggested.sure === false) return `No mode is suggested. ${suggested.reason}`;
  return `Suggested: ${suggested.mode} (${Math.round(suggested.confidence * 100)} % sure). ${suggested.reason}`;
}

function modeButton(option, suggested, choose) {
  const { steps, rows, model_calls: calls, seconds } = option.cost;
  const cost = [count(steps, "step"), count(rows, "row"), calls ? count(calls, "model call") : "", seconds ? `about ${seconds.toFixed(1)} s` : ""].filter(Boolean).join(", ");
  return h(suggested ? "button.mode.suggested" : "button.mode", { "data-mode": option.mode, onclick: doing(() => choose(option.mode)) },
    h("strong", null, option.mode, suggested ? h("span.pill.mark", null, "suggested") : ""),
    h("span.does", { title: option.does }, option.does),
    h("span.cost", null, cost));
}
