// Signing in: a token, kept for this tab only.

import { token } from "./api.js";
import { h } from "./dom.js";

export function showDoor(view, why, start) {
  const asked = Boolean(token.get());
  const field = h("input", { type: "password", id: "token", autocomplete: "off", required: true, "aria-describedby": "why" });
  const enter = (event) => {
    event.preventDefault();
    token.set(field.value.trim().replace(/^Bearer\s+/i, ""));
    view.replaceChildren();
    start();
  };
  document.getElementById("side").hidden = true;
  document.querySelector(".frame").classList.add("alone");
  view.replaceChildren(
    h("form.door.card", { onsubmit: enter },
      h("h1", null, "Sign in"),
      h("p.soft", null, "Recallyst shows you your own memory. Paste the token that your organisation gave you; it stays in this tab."),
      asked ? h("p.pill.bad.wrap", { id: "why", role: "alert" }, why) : h("span", { id: "why" }),
      h("label.field", { for: "token" }, "Token", field),
      h("div", null, h("button.main", { type: "submit" }, "Sign in")),
    ),
  );
  field.focus();
}
