// The web widget: shows what was said, sends what the visitor does. It holds a session token and no secret.

import { messageElements, readableTime, settle, words } from "./parts.js";
import { LANGUAGE, WORDS } from "./words.js";

const agent = document.body.dataset.agent;
const api = `/widget/api/${encodeURIComponent(agent)}`;
const kept = `greenroom:${agent}`;
const log = document.getElementById("log");
const note = document.getElementById("note");
const form = document.getElementById("form");
const field = document.getElementById("text");
const send = document.getElementById("send");

const PAUSES = [1, 2, 4, 8, 15]; // seconds between tries by itself; then the visitor decides
const BY_ITSELF = new Set([undefined, 408, 429, 503, 504]); // undefined: the server could not be reached
const ON_DEMAND = new Set([500, 502]);
const LOOK_AGAIN_MS = 1500;
const TEAM = new Set(["handed_over", "transferred"]);

log.replaceChildren(); // what is said there to whoever has no scripts

let token = sessionStorage.getItem(kept);
let queue = []; // what the visitor did and nobody has answered yet, in order
let pumping = false;
let over = false;
let shown = 0; // lines in the log, as the server counts them
let atEnd = true;
let goOn = null; // ends the pause before the next try
let opening = null; // until it is known what was said before the page was loaded

class Refused extends Error {
  constructor(status) {
    super(`HTTP ${status}`);
    this.status = status;
  }
}

async function call(path, method, body) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let answer, told;
  try {
    answer = await fetch(api + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    told = answer.ok ? await answer.json() : null;
  } catch {
    throw new Refused(undefined);
  }
  if (!answer.ok) throw new Refused(answer.status);
  if (told.token) {
    token = told.token;
    sessionStorage.setItem(kept, token);
  }
  return told;
}

// An id of our own for each event, so that sending it again is harmless.
function freshId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function toEnd() {
  log.scrollTop = log.scrollHeight;
  atEnd = true;
}

// Whoever has scrolled up to read stays there. Of an answer that is longer than the screen the beginning is shown.
function add(elements, { stay = true } = {}) {
  const stays = stay && !atEnd;
  document.getElementById("thinking")?.remove();
  // An answer stands before what was written since, as the server has it.
  const next = stay ? (queue[0]?.line ?? null) : null;
  if (next) next.before(...elements);
  else log.append(...elements);
  if (stays || !elements.length) return;
  const first = elements[0];
  if (stay && log.scrollHeight - first.offsetTop > log.clientHeight) {
    log.scrollTop = first.offsetTop - log.offsetTop;
  } else toEnd();
}

function showMessages(messages) {
  add(messages.flatMap((message) => messageElements(message, say)));
  shown += messages.length;
}

function showPerson(text) {
  settle(log);
  const line = words("person", WORDS.you, readableTime(text));
  add([line], { stay: false });
  shown += 1;
  return line;
}

function tell(text, label, action, { bad = Boolean(action) } = {}) {
  note.className = bad ? "note bad" : "note";
  note.textContent = text;
  if (action) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.addEventListener("click", action);
    note.append(button);
  }
  if (atEnd) toEnd();
}

function thinking(on) {
  document.getElementById("thinking")?.remove();
  if (!on) return;
  const dots = words("agent thinking", "", WORDS.coming);
  dots.id = "thinking";
  const heard = dots.querySelector(".words");
  heard.className = "unseen";
  heard.lang = LANGUAGE;
  for (let dot = 0; dot < 3; dot += 1) dots.append(document.createElement("i"));
  log.append(dots);
  if (atEnd) toEnd();
}

// Until the pause is over, the visitor asks for it, or the network is there again; without a pause, only those.
function rest(seconds) {
  return new Promise((done) => {
    const timer = seconds === undefined ? null : setTimeout(() => goOn(), seconds * 1000);
    goOn = () => {
      clearTimeout(timer);
      goOn = null;
      tell("");
      done();
    };
    const text = seconds === undefined ? WORDS.unsent : WORDS.offline;
    tell(text, WORDS.again, () => goOn?.());
  });
}

async function patiently(work) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (BY_ITSELF.has(error.status)) await rest(PAUSES[tries]);
      else if (ON_DEMAND.has(error.status)) await rest(undefined);
      else throw error;
    }
  }
}

function forget() {
  sessionStorage.removeItem(kept);
  token = null;
}

// A session that has run out: what was written is not lost, a new conversation begins with it.
function beginAnew() {
  forget();
  const line = document.createElement("p");
  line.className = "note";
  line.textContent = WORDS.renewed;
  log.insertBefore(line, queue[0]?.line ?? null);
}

async function attempt(one) {
  thinking(true);
  try {
    if (!token) await call("/session", "POST");
    return await call(`/messages/${one.id}`, "POST", one.event);
  } finally {
    thinking(false);
  }
}

async function answered(one) {
  let renewed = false;
  for (;;) {
    try {
      return await patiently(() => attempt(one));
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 401 || renewed) throw error;
      renewed = true;
      beginAnew();
    }
  }
}

async function pump() {
  if (pumping) return goOn?.();
  pumping = true;
  await opening;
  try {
    while (queue.length) {
      const one = queue[0];
      try {
        const answer = await answered(one);
        one.line?.classList.remove("unsent");
        queue.shift();
        showMessages(answer.messages);
        if (answer.ended) finish(answer.ended);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        one.line?.classList.add("refused");
        queue.shift();
        tell(WORDS.refused);
      }
    }
  } finally {
    pumping = false;
  }
}

function say(event, shown = event.text, id = freshId()) {
  if (over) return;
  const tapped = document.activeElement?.classList.contains("tap");
  let line = null;
  if (event.kind !== "opened") {
    line = showPerson(shown);
    line.classList.add("unsent");
    tell("");
  }
  queue.push({ event, id, line });
  // The button that had the focus can't be used any more; on a touch screen the keyboard would come up.
  if (tapped && !matchMedia("(pointer: coarse)").matches) field.focus({ preventScroll: true });
  return pump();
}

function finish(ended) {
  if (TEAM.has(ended)) return tell(WORDS.team);
  const focused = form.contains(document.activeElement);
  over = true;
  queue = [];
  send.disabled = field.disabled = true;
  settle(log);
  const anew = () => {
    forget();
    over = false;
    send.disabled = field.disabled = false;
    wipe();
    tell("");
    field.focus({ preventScroll: true });
    say({ kind: "opened" }, "", "opened");
  };
  tell(WORDS.over, WORDS.begin, anew, { bad: false });
  // What had the focus can't be used any more.
  if (focused) note.querySelector("button").focus({ preventScroll: true });
}

function wipe() {
  log.replaceChildren();
  shown = 0;
  atEnd = true;
}

// What the server knows of this conversation; it may have gone on in another window, or before the page was loaded.
async function catchUp() {
  const { lines, ended, waiting } = await call("/messages", "GET");
  if (lines.length !== shown) {
    wipe();
    for (const line of lines) {
      if (line.by === "person") showPerson(line.text);
      else showMessages([line.message]);
    }
    log.append(...queue.map((one) => one.line ?? ""));
    toEnd();
  }
  if (ended) finish(ended);
  if (!over) thinking(waiting);
  if (waiting) setTimeout(() => look().catch(() => {}), LOOK_AGAIN_MS);
  return lines.length;
}

async function look() {
  if (token && !over && !queue.length && !document.hidden) await catchUp();
}

async function begin() {
  if (token) {
    opening = patiently(catchUp).catch((error) => {
      if (error.status === 401) forget();
      return 0;
    });
    if (await opening) return;
  }
  say({ kind: "opened" }, "", "opened");
}

// Browsers that don't do it themselves.
function grow() {
  if (CSS.supports("field-sizing", "content")) return;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + 2}px`;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  // Half of an emoji, as a field that is full may hold, is no text that a server takes.
  const text = field.value.toWellFormed?.() ?? field.value;
  if (!text.trim() || over) return;
  field.value = "";
  grow();
  say({ kind: "said", text });
});

field.addEventListener("keydown", (event) => {
  // 229: Safari ends a composition before it tells of the Enter that ended it.
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing && event.keyCode !== 229) {
    event.preventDefault();
    form.requestSubmit();
  }
});

field.addEventListener("input", grow);

log.addEventListener("scroll", () => {
  atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 60;
});

// A picture has its height only once it is there.
log.addEventListener("load", () => atEnd && toEnd(), true);

addEventListener("online", () => goOn?.());
document.addEventListener("visibilitychange", () => look().catch(() => {}));

begin();
