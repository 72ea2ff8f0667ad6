// The frame: who is asking, the three rooms, and which of them is open. Addresses: #/ask, #/ask/THREAD, #/memory, #/audit.

import { get, Refused, token } from "./api.js";
import { openAsk } from "./ask.js";
import { openAudit } from "./audit.js";
import { h, notice } from "./dom.js";
import { openMemory } from "./memory.js";
import { showDoor } from "./door.js";
import { drawSide, foldSide, loadSide } from "./side.js";

const ROOMS = { ask: ["Ask", openAsk], memory: ["Memory", openMemory], audit: ["Audit", openAudit] };
const view = document.getElementById("view");
let leave = null;
let shown = null;

async function start() {
  try {
    const [me, door] = await Promise.all([get("/api/me"), get("/api/sign-in")]);
    drawWho(me, door.mode);
    await loadSide();
    window.addEventListener("hashchange", () => show());
    await show();
  } catch (error) {
    if (error instanceof Refused) showDoor(view, error.message, start);
    else view.replaceChildren(h("p.empty", null, error.message));
  }
}

function drawWho(me, mode) {
  const out = () => {
    token.set("");
    location.reload();
  };
  document.getElementById("who").replaceChildren(
    h("span", { title: `organisation ${me.org}` }, `${me.user} · ${me.org}`),
    mode === "jwt" ? h("button.quiet", { onclick: out }, "Sign out") : "",
  );
}

async function show() {
  const [room = "ask", ...rest] = location.hash.replace(/^#\/?/, "").split("/").filter(Boolean);
  const [, open] = ROOMS[room] ?? ROOMS.ask;
  document.getElementById("tabs").replaceChildren(
    ...Object.entries(ROOMS).map(([name, [title]]) =>
      h("a", { href: `#/${name}`, "aria-current": (ROOMS[room] ? room : "ask") === name ? "page" : null }, title),
    ),
  );
  leave?.();
  leave = null;
  foldSide();
  drawSide(rest[0]);
  document.getElementById("side").hidden = room !== "ask" && Boolean(ROOMS[room]);
  document.querySelector(".frame").classList.toggle("alone", document.getElementById("side").hidden);
  if (room !== shown) window.scrollTo(0, 0);
  shown = room;
  try {
    leave = (await open(view, ...rest)) ?? null;
  } catch (error) {
    if (error instanceof Refused) location.reload();
    else notice(error.message, { bad: true });
  }
}

start();
