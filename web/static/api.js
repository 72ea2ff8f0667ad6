// Talking to the server: our routes under /api, the LangGraph routes for threads and runs. Nothing else is asked.

const KEPT = "recallyst-token";

export class Refused extends Error {}

export const token = {
  get: () => sessionStorage.getItem(KEPT) ?? "",
  set: (value) => (value ? sessionStorage.setItem(KEPT, value) : sessionStorage.removeItem(KEPT)),
};

function headers(more) {
  const sent = token.get();
  return sent ? { ...more, authorization: `Bearer ${sent}` } : { ...more };
}

async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, { ...options, headers: headers(options.headers) });
  } catch {
    if (options.signal?.aborted) throw new Error("stopped");
    throw new Error("The server does not answer; is it still running?");
  }
  if (answer.ok) return answer;
  const said = await answer.json().catch(() => ({}));
  const first = Array.isArray(said.detail) ? said.detail[0]?.msg : said.detail;
  const detail = typeof first === "string" && first ? first : `the server answered ${answer.status}`;
  if (answer.status === 401) throw new Refused(detail);
  throw new Error(detail.charAt(0).toUpperCase() + detail.slice(1));
}

export async function get(path) {
  return (await ask(path)).json();
}

export async function send(method, path, body) {
  const answer = await ask(path, {
    method,
    headers: body === undefined ? {} : { "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return answer.status === 204 ? null : answer.json();
}

export async function upload(file) {
  const answer = await ask(`/api/uploads?name=${encodeURIComponent(file.name)}`, { method: "PUT", body: file });
  return answer.json();
}

/** Save what a route answers as a file. */
export async function save(path, name) {
  const url = URL.createObjectURL(await (await ask(path)).blob());
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// Threads and runs

export const newThread = (metadata) => send("POST", "/threads", { metadata });
export const threads = () =>
  send("POST", "/threads/search", {
    limit: 60, sort_by: "updated_at", sort_order: "desc", select: ["thread_id", "status", "updated_at", "metadata"],
    extract: { asked: "values.messages[0].content", about: "values.dataset" }, // for sessions that began elsewhere
  });
export const deleteThread = (id) => send("DELETE", `/threads/${id}`);
export const stop = (thread, run) => send("POST", `/threads/${thread}/runs/${run}/cancel?action=interrupt`, {});
export const runsOf = (thread) => get(`/threads/${thread}/runs?limit=5`);

/** Start a run and yield its events as {event, data}. `given` holds `input` or `command`. */
export function run(thread, given, signal) {
  const body = {
    assistant_id: "recallyst", stream_mode: ["custom"], stream_resumable: true, on_disconnect: "continue",
    durability: "sync", multitask_strategy: "reject", ...given,
  };
  return events(`/threads/${thread}/runs/stream`, {
    method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" }, signal,
  });
}

/** Follow a run that goes on already, from its beginning. */
export const follow = (thread, runId, signal) =>
  events(`/threads/${thread}/runs/${runId}/stream?stream_mode=custom`, { headers: { "last-event-id": "0" }, signal });

async function* events(path, options) {
  const answer = await ask(path, options);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value.replaceAll("\r\n", "\n");
    const whole = rest.split("\n\n");
    rest = whole.pop();
    for (const block of whole) {
      const fields = Object.fromEntries(
        block.split("\n").filter((l) => l && !l.startsWith(":")).map((l) => [l.slice(0, l.indexOf(":")), l.slice(l.indexOf(":") + 1).trim()]),
      );
      if (fields.event) yield { event: fields.event, data: fields.data ? JSON.parse(fields.data) : null };
    }
  }
}
