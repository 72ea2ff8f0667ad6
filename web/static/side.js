// Beside the talk: the datasets, bringing a file, and earlier sessions.

import { deleteThread, get, send, threads, upload } from "./api.js";
import { ago, count, doing, h, notice, plain, short } from "./dom.js";

const side = document.getElementById("side");
const known = { datasets: [], sessions: [], chosen: "", card: null, open: null };

export const datasets = () => known.datasets;
export const chosen = () => known.chosen;
export const card = () => known.card;
export const nameOf = (key) => {
  const found = known.datasets.find((d) => d.key === key);
  return found?.own ? found.description : key;
};

/** Read what there is; the first dataset is chosen where none was. */
export async function loadSide() {
  [known.datasets, known.sessions] = await Promise.all([get("/api/datasets"), threads()]);
  const kept = localStorage.getItem("recallyst-dataset");
  if (!known.datasets.some((d) => d.key === known.chosen)) {
    known.chosen = known.datasets.find((d) => d.key === kept)?.key ?? known.datasets[0]?.key ?? "";
  }
  await loadCard();
}

/** Read the sessions again; `open` is the one that is open now, where that has changed. */
export async function refreshSessions(open = known.open) {
  known.open = open;
  known.sessions = await threads();
  drawSide(known.open);
}

/** Where the list lies over the talk, fold it away: its work is done. */
export function foldSide() {
  side.classList.remove("open");
  side.querySelector(".menu")?.setAttribute("aria-expanded", "false");
}

export async function choose(key) {
  known.chosen = key;
  localStorage.setItem("recallyst-dataset", key);
  await loadCard();
  drawSide(known.open);
  window.dispatchEvent(new Event("dataset"));
}

async function loadCard() {
  known.card = known.chosen ? await get(`/api/datasets/${encodeURIComponent(known.chosen)}`).catch(() => null) : null;
}

export function drawSide(open) {
  known.open = open ?? null;
  const file = h("input.visually-hidden", { type: "file", id: "file", tabindex: "-1", "aria-label": "File to upload", onchange: bring });
  const own = known.datasets.find((d) => d.key === known.chosen)?.own;
  const toggle = h("button.menu", {
    "aria-expanded": String(side.classList.contains("open")),
    onclick: (event) => event.currentTarget.setAttribute("aria-expanded", String(side.classList.toggle("open"))),
  }, h("span.wrap", null, nameOf(known.chosen) || "Choose a dataset"), h("span.soft", null, "Data and sessions"));
  side.replaceChildren(
    toggle,
    h("div.inner", null,
      h("h2.side-title", null, "Dataset"),
      h("select", { id: "dataset", "aria-label": "Dataset", onchange: (e) => choose(e.target.value) },
        known.datasets.map((d) => h("option", { value: d.key, selected: d.key === known.chosen }, d.own ? d.description : d.key))),
      known.card ? drawCard(known.card) : "",
      h("div.side-line.row", null,
        file,
        h("button", { id: "upload", onclick: () => file.click() }, "Upload a file"),
        own ? h("button.quiet.danger", { onclick: doing(removeUpload) }, "Remove") : ""),
      h("h2.side-title", null, "Sessions"),
      h("div", null, h("a", { href: "#/ask", id: "new-session" }, "New session")),
      h("ul.sessions", null, known.sessions.map(drawSession)),
    ),
  );
}

function drawCard(found) {
  return h("details.small", null,
    h("summary", null, `${count(found.rows, "row")}, ${count(found.columns.length, "column")}`),
    h("ul.columns", null, found.columns.map((c) => h("li", null, h("span", null, c.name), h("span.soft", null, plain(c.role))))),
    found.notes.length ? h("ul.small.soft", null, found.notes.map((n) => h("li.wrap", null, n))) : "");
}

function drawSession(session) {
  const { asked, about } = session.extracted ?? {};
  const { title = typeof asked === "string" ? short(asked, 120) : "(no question yet)", dataset = about ?? "" } = session.metadata ?? {};
  const days = (Date.now() - new Date(session.updated_at)) / 864e5;
  const state = { interrupted: " · waiting for you", busy: " · at work", error: " · stopped" }[session.status] ?? "";
  return h("li", null,
    h("a", { href: `#/ask/${session.thread_id}`, "aria-current": session.thread_id === known.open ? "page" : null },
      String(title), h("span.soft", null, `${nameOf(String(dataset))} · ${ago(days)}${state}`)));
}

async function bring(event) {
  const file = event.target.files[0];
  if (!file) return;
  const button = document.getElementById("upload");
  button.disabled = true;
  button.textContent = "Reading …";
  try {
    const taken = await upload(file);
    await loadSide();
    await choose(taken.key);
    location.hash = "#/ask";
    notice(`${file.name}: ${count(taken.rows, "row")} and ${count(taken.columns, "column")} read.`);
  } catch (error) {
    drawSide(known.open);
    notice(error.message, { bad: true });
  }
}

async function removeUpload() {
  await send("DELETE", `/api/uploads/${encodeURIComponent(known.chosen)}`);
  notice("The file is removed. What is remembered of it stays until you forget it in the memory room.");
  await loadSide();
  await choose(known.chosen);
}

/** Delete a session with its checkpoints; what it left in memory stays. */
export async function dropSession(id) {
  await deleteThread(id);
  await refreshSessions();
}
