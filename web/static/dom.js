// Building what is shown. Text only ever becomes a text node: nothing that comes from data is read as markup.

/** Make an element: h("p.soft", {id: "x", onclick: f}, "text", otherElement). Empty children and properties are left out. */
export function h(tag, props, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "value" || key === "disabled" || key === "selected") element[key] = value;
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false && c !== ""));
  return element;
}

/** Make these the children of an element, in this order; what is there already and in its place is not touched and keeps its focus. */
export function arrange(parent, children) {
  const wanted = new Set(children);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  children.forEach((child, i) => parent.children[i] === child || parent.insertBefore(child, parent.children[i] ?? null));
}

/** A bar filled to a share between 0 and 1. */
export function bar(share, label) {
  const fill = h("i");
  const value = Math.max(0, Math.min(1, share));
  fill.style.setProperty("--share", value);
  return h(value < 0.15 ? "div.bar.low" : "div.bar", { role: "img", "aria-label": label }, fill);
}

export const plain = (text) => String(text ?? "").replaceAll("_", " ");
export const count = (n, one, many = `${one}s`) => `${Number(n).toLocaleString("en-US")} ${n === 1 ? one : many}`;
export const figure = (v) =>
  typeof v === "number" ? v.toLocaleString("en-US", { maximumSignificantDigits: Number.isInteger(v) ? 21 : 6 }) : String(v ?? "");
export const short = (text, longest) => (text.length <= longest ? text : text.slice(0, longest).replace(/\s+\S*$/, "") + " …");

/** "today", "1 day ago", "28 days ago" */
export const ago = (days) => (days < 1 ? "today" : `${count(Math.round(days), "day")} ago`);
export const day = (iso) => (iso ? new Date(iso).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" }) : "");
export const moment = (iso) =>
  iso ? new Date(iso).toLocaleString("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" }) : "";

/** Paragraphs and lists of the plain Markdown that answers are written in. */
export function blocks(text) {
  const parts = [];
  for (const line of text.split("\n").filter((l) => l.trim())) {
    if (!line.startsWith("- ")) parts.push(h("p", null, line));
    else if (parts.at(-1)?.tagName === "UL") parts.at(-1).append(h("li", null, line.slice(2)));
    else parts.push(h("ul", null, h("li", null, line.slice(2))));
  }
  return parts;
}

/** Ask once more before something goes for good; Escape and "Keep" close it and lead back to where the person was. */
export function sure(question, words, forget) {
  const from = document.activeElement;
  const close = () => {
    box.remove();
    from?.focus();
  };
  const keep = h("button", { onclick: close }, "Keep");
  const box = h("div.sure", { role: "alertdialog", "aria-label": question, "aria-description": words, onkeydown: (event) => event.key === "Escape" && close() },
    h("span", null, words),
    h("div.row", null, keep, h("button.danger", { onclick: doing(forget) }, "Forget for good")));
  queueMicrotask(() => keep.focus());
  return box;
}

/** Say something to those who listen to the page instead of looking at it. */
export const announce = (text) => (document.getElementById("heard").textContent = text);

let fading;
/** Say something shortly at the foot of the page. */
export function notice(text, { bad = false } = {}) {
  const box = document.getElementById("notice");
  box.textContent = text;
  box.className = bad ? "notice shown bad" : "notice shown";
  clearTimeout(fading);
  fading = setTimeout(() => (box.className = "notice"), bad ? 9000 : 4000);
}

/** Run what a button does: it is disabled meanwhile and has the focus again afterwards, and an error is said. */
export function doing(action) {
  return async (event) => {
    event.preventDefault();
    const button = event.submitter ?? event.currentTarget;
    const focused = document.activeElement === button;
    button.disabled = true;
    try {
      await action(event);
    } catch (error) {
      notice(error.message, { bad: true });
    } finally {
      button.disabled = false;
      if (focused && button.isConnected && document.activeElement === document.body) button.focus();
    }
  };
}
