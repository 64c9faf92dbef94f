// The web widget: shows what was said, sends what the visitor does. It holds a session token and no secret.

const agent = document.body.dataset.agent;
const api = `/widget/api/${encodeURIComponent(agent)}`;
const kept = `greenroom:${agent}`;
const log = document.getElementById("log");
const note = document.getElementById("note");
const form = document.getElementById("form");
const field = document.getElementById("text");
const send = document.getElementById("send");

let token = sessionStorage.getItem(kept);
let busy = false;
let over = false;

class Refused extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

async function call(path, method, body) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const answer = await fetch(api + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  const told = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(answer.status, told.detail ?? "");
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

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function toEnd() {
  log.scrollTop = log.scrollHeight;
}

function add(...elements) {
  log.append(...elements);
  toEnd();
}

// Only addresses that a page may well open; anything else stays text.
function address(action, target) {
  if (action === "call") return `tel:${target}`;
  if (action === "map" && !/^https?:/i.test(target)) {
    return `https://www.openstreetmap.org/search?query=${encodeURIComponent(target)}`;
  }
  return /^https?:/i.test(target) ? target : null;
}

function tapButton(choice) {
  if (choice.tap) {
    const button = element("button", "tap", choice.label);
    button.type = "button";
    button.addEventListener("click", () => say(choice.tap));
    return button;
  }
  const href = address(choice.action, choice.target ?? "");
  if (href === null) return element("span", "tap", `${choice.label}: ${choice.target ?? ""}`);
  const link = element("a", "tap", choice.label);
  link.href = href;
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  return link;
}

function picture(url, alt, className) {
  const image = element("img", className);
  image.src = url;
  image.alt = alt ?? "";
  image.referrerPolicy = "no-referrer";
  image.addEventListener("error", () => image.remove());
  return image;
}

function cardElement(card) {
  const made = element("article", "card");
  if (card.media) made.append(picture(card.media, "", ""));
  const inner = element("div");
  inner.append(element("strong", "", card.title));
  if (card.subtitle) inner.append(element("small", "", card.subtitle));
  inner.append(...card.chips.map(tapButton));
  made.append(inner);
  return made;
}

function group(label, className, elements) {
  const made = element("div", className);
  made.setAttribute("role", "group");
  made.setAttribute("aria-label", label);
  made.append(...elements);
  return made;
}

const shown = {
  text: (part) => element("div", "said agent", part.text),
  media: (part) => picture(part.url, part.alt, "media"),
  card: (part) => group("Card", "rich", [cardElement(part)]),
  carousel: (part) => group("Cards", "rich carousel", part.cards.map(cardElement)),
  chips: (part) => group("Suggested replies", "rich", part.chips.map(tapButton)),
  options: (part) => group("Choices", "rich", part.options.map(tapButton)),
  time_picker: (part) => group("Times", "rich", part.slots.map(tapButton)),
  confirm: (part) => group("Yes or no", "rich", part.choices.map(tapButton)),
};

function showMessage(message) {
  const parts = message.parts ?? [{ kind: "text", text: message.text }];
  add(...parts.filter((part) => shown[part.kind]).map((part) => shown[part.kind](part)));
}

// What was offered before is not to be tapped after something else was said.
function settle() {
  for (const button of log.querySelectorAll("button.tap")) button.disabled = true;
}

function tell(text, again) {
  note.hidden = !text;
  note.className = again ? "note bad" : "note";
  note.textContent = text;
  if (again) {
    const button = element("button", "", "Try again");
    button.type = "button";
    button.addEventListener("click", again);
    note.append(button);
  }
  toEnd();
}

function working(on) {
  busy = on;
  send.disabled = on || over;
  document.getElementById("thinking")?.remove();
  if (on) {
    const dots = element("div", "said agent thinking");
    dots.id = "thinking";
    dots.setAttribute("aria-label", "An answer is on its way");
    dots.append(element("i"), element("i"), element("i"));
    add(dots);
  }
}

async function say(event, id = freshId(), line = null) {
  if (busy || over) return;
  const words = event.kind === "said" ? event.text : event.kind === "tap" ? event.label : "";
  if (words && !line) {
    settle();
    line = element("div", "said person unsent", words);
    add(line);
  }
  tell("");
  working(true);
  try {
    const answer = await call(`/messages/${id}`, "POST", event);
    working(false);
    line?.classList.remove("unsent");
    answer.messages.forEach(showMessage);
    if (answer.ended) finish();
  } catch (error) {
    working(false);
    if (error.status === 401) return startAgain();
    const text = error.status === 429 ? "One moment, please." : "That did not get through.";
    tell(text, () => say(event, id, line));
  }
  field.focus({ preventScroll: true });
}

function finish() {
  over = true;
  send.disabled = field.disabled = true;
  settle();
  tell("This conversation is over.");
}

function startAgain() {
  sessionStorage.removeItem(kept);
  token = null;
  over = true;
  send.disabled = field.disabled = true;
  tell("This session is over.", () => location.reload());
}

async function begin() {
  try {
    if (token) {
      try {
        const { lines, ended } = await call("/messages", "GET");
        for (const line of lines) {
          if (line.by === "person") {
            settle();
            add(element("div", "said person", line.text));
          } else showMessage(line.message);
        }
        if (ended) finish();
        if (lines.length) return;
      } catch (error) {
        if (error.status !== 401) throw error;
        token = null;
      }
    }
    if (!token) await call("/session", "POST");
    await say({ kind: "opened" }, "opened");
  } catch {
    tell("The conversation can't be opened now.", () => { tell(""); begin(); });
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = field.value;
  if (!text.trim() || busy || over) return;
  field.value = "";
  say({ kind: "said", text });
});

field.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    form.requestSubmit();
  }
});

begin();
