// The server: JSON with the reader's key, answers as events.

import { say } from "./texts.js";

const KEY = "articulado.key";

/** A request that failed, with the message of the server. */
export class Failure extends Error {
  constructor(message, status = 0, kind = "") {
    super(message);
    this.status = status;
    this.kind = kind;
  }
}

let askForKey = null;

/** Take the function that asks the reader for an access key; it resolves when one was given. */
export function onKeyNeeded(ask) {
  askForKey = ask;
}

/** Keep an access key for this tab. */
export function useKey(key) {
  sessionStorage.setItem(KEY, key);
}

// The address that `articulado serve --lan` shows has a key behind "#", which no server is sent: it stays in this tab alone.
const given = location.hash.match(/^#key=(art_[\w-]+)$/);
if (given) {
  useKey(given[1]);
  history.replaceState(null, "", location.pathname + location.search);
}

/** Request a path of the server; where it wants a key, the reader is asked for one and the request is sent again. */
export async function request(path, { method = "GET", body, accept = "application/json", signal } = {}) {
  for (;;) {
    const key = sessionStorage.getItem(KEY);
    const headers = { accept, ...(key && { "x-api-key": key }), ...(body && { "content-type": "application/json" }) };
    let response;
    try {
      response = await fetch(path, { method, headers, body: body && JSON.stringify(body), signal });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Failure(say("unreachable"));
    }
    if (response.ok) return response;
    if (response.status === 401 && askForKey) {
      await askForKey(Boolean(key));
      continue;
    }
    const told = await response.json().catch(() => ({}));
    throw new Failure(told.detail || say("failed", { status: response.status }), response.status, told.error);
  }
}

/** Request JSON. */
export async function json(path, options) {
  const response = await request(path, options);
  return response.status === 204 ? null : response.json();
}

/** Request a file and let the browser save it under a name. */
export async function save(path, name, options) {
  const response = await request(path, { accept: "*/*", ...options });
  const address = URL.createObjectURL(await response.blob());
  const anchor = document.createElement("a");
  Object.assign(anchor, { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Yield the events of an answer, each {event, data}; throws a Failure where the connection ends before the last one. */
export async function* ask(question, options, signal) {
  const body = { question, ...options };
  const response = await request("v1/ask", { method: "POST", body, accept: "text/event-stream", signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let ended = false;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const blocks = (rest + value).split(/\r?\n\r?\n/);
    rest = blocks.pop();
    for (const block of blocks) {
      const event = parse(block);
      if (!event) continue;
      ended ||= event.event === "final" || event.event === "error";
      yield event;
    }
  }
  if (!ended) throw new Failure(say("cut_off"));
}

function parse(block) {
  let name = "message";
  const data = [];
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  return data.length ? { event: name, data: JSON.parse(data.join("\n")) } : null;
}
