// What goes on while a question is answered: the eight phases, the steps of the battery by name, and the answer as it comes.

import { blocks, h } from "./dom.js";

const PHASES = {
  understand: "Reading the question", recall: "Recalling what is known", gate: "At the gate", plan: "Checking the data, planning",
  battery: "Measuring", report: "Writing the report", consolidate: "Keeping what deserves it", transcript: "Listening to what was said",
};

/** Return {element, hear(event)}; `stop` is called when the person has had enough. */
export function progressCard(stop) {
  const bars = Object.keys(PHASES).map((name) => h("li", { title: PHASES[name] }));
  const text = h("span", { role: "status", "aria-live": "polite" }, "Starting");
  const button = h("button.quiet", { onclick: stop }, "Stop");
  const answer = h("div.so-far");
  const element = h("div.progress.card", null, h("ol.phases", { "aria-hidden": "true" }, bars), h("div.now-text", null, text, button), answer);
  const names = Object.keys(PHASES);
  let said = "";
  const hear = (event) => {
    const at = names.indexOf(event.phase);
    if (at < 0) return;
    if (event.answer) {
      answer.replaceChildren(...blocks((said += `${event.answer}\n`)));
      return;
    }
    bars.forEach((bar, n) => (bar.className = n < at ? "done" : n === at ? "now" : ""));
    if (event.step) {
      bars[at].className = "now part";
      bars[at].style.setProperty("--share", event.step / event.steps);
      text.textContent = `${PHASES[event.phase]} ${event.step} of ${event.steps}: ${event.reason || event.kind}`;
    } else {
      text.textContent = PHASES[event.phase];
    }
  };
  return { element, hear };
}
