// What each part of a message looks like. Whatever an agent wrote becomes text or an address that a page may well open.

import { CUSTOMS, LANGUAGE, WORDS } from "./words.js";

// In which language it is nobody says.
export function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) {
    made.textContent = text;
    made.dir = "auto";
    made.lang = "";
  }
  return made;
}

// What can be read as an address of the web; else null. Not every browser has URL.parse.
function addressOf(text) {
  if (!/^https?:\/\//i.test(text)) return null;
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

const ADDRESS = /https?:\/\/[^\s<>"'`]*[^\s<>"'`.,;:!?)\]}]/gi;

// The text, in which addresses can be followed.
function linked(text) {
  const pieces = [];
  let read = 0;
  for (const { 0: address, index } of text.matchAll(ADDRESS)) {
    if (!addressOf(address)) continue;
    pieces.push(text.slice(read, index), opened(element("a", "", address), address));
    read = index + address.length;
  }
  return [...pieces, text.slice(read)];
}

// Something that was said; who said it is heard, and seen by its place.
export function words(className, by, text) {
  const made = element("div", `said ${className}`);
  if (by) {
    const heard = element("span", "unseen", `${by}: `);
    heard.lang = LANGUAGE;
    made.append(heard);
  }
  const said = element("span", "words", text);
  if (className === "agent") said.replaceChildren(...linked(text));
  made.append(said);
  return made;
}

// What was offered before is not to be tapped after something else was said.
export function settle(log) {
  for (const button of log.querySelectorAll("button.tap")) button.disabled = true;
}

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;

// A time without a label of its own, as people write it; the clock is the business's, not the visitor's.
export function readableTime(text) {
  const found = TIME.exec(text);
  if (!found) return text;
  const shape = { weekday: "short", day: "numeric", month: "short", hour: "numeric", minute: "2-digit" };
  return new Date(found[1]).toLocaleString(CUSTOMS, shape);
}

function opened(made, href) {
  made.href = href;
  made.target = "_blank";
  made.rel = "noopener noreferrer";
  return made;
}

function link(label, href) {
  return opened(element("a", "tap", label), href);
}

function stamp(text) {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return `;VALUE=DATE:${text.replaceAll("-", "")}`;
  const found = TIME.exec(text);
  if (!found) return null;
  if (!found[4]) return `:${found[1].replaceAll(/[-:]/g, "")}00`;
  return `:${new Date(text).toISOString().replaceAll(/[-:]|\.\d+/g, "")}`;
}

// `2026-06-06T14:00`, or two of them with a slash between: a file that every calendar reads.
function calendarFile(target) {
  const [from, to] = target.split("/").map((each) => stamp(each.trim()));
  if (!from || to === null) return null;
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Greenroom//Widget//EN",
    "BEGIN:VEVENT",
    `UID:${crypto.getRandomValues(new Uint32Array(3)).join("-")}`,
    `DTSTAMP${stamp(new Date().toISOString())}`,
    `DTSTART${from}`,
    to ? `DTEND${to}` : from.startsWith(":") ? "DURATION:PT1H" : "DURATION:P1D",
    `SUMMARY:${document.title.replaceAll(/[\\;,]/g, "\\$&").replaceAll(/\s+/g, " ")}`,
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ];
  return URL.createObjectURL(new Blob([lines.join("\r\n")], { type: "text/calendar" }));
}

const ADDRESSES = {
  link: (target) => (addressOf(target) || /^mailto:/i.test(target) ? target : null),
  call: (target) => (/\d/.test(target) ? `tel:${target.replaceAll(/[^\d+*#,;]/g, "")}` : null),
  map: (target) =>
    addressOf(target) ? target : `https://www.openstreetmap.org/search?query=${encodeURIComponent(target)}`,
  calendar: (target) => (addressOf(target) ? target : null),
};

function choice(offered, say) {
  if (offered.tap) {
    const button = element("button", "tap", readableTime(offered.label));
    button.type = "button";
    button.addEventListener("click", () => say(offered.tap, offered.label));
    return button;
  }
  const target = offered.target ?? "";
  const href = ADDRESSES[offered.action]?.(target);
  if (href) return link(offered.label, href);
  const file = offered.action === "calendar" ? calendarFile(target) : null;
  if (!file) return element("span", "fact", target ? `${offered.label}: ${target}` : offered.label);
  const made = link(offered.label, file);
  made.download = "appointment.ics";
  return made;
}

const FILM = /\.(mp4|m4v|mov|webm|ogv)$/i;
const SOUND = /\.(mp3|m4a|aac|wav|oga|ogg|opus|flac)$/i;

// The file that an address ends with, or what stands for it when it is spelled in no way that can be read.
function readableName(address) {
  const name = address.pathname.split("/").pop();
  try {
    return decodeURI(name);
  } catch {
    return name;
  }
}

// In its place, when it can't be shown here: its address, or at least its words.
function instead(url, alt) {
  const address = addressOf(url);
  if (address) return link(alt || readableName(address) || url, url);
  return alt ? words("agent", WORDS.agent, alt) : null;
}

function media(url, alt, className, otherwise = instead) {
  const address = addressOf(url);
  if (!address && !/^data:(image|audio|video)\//i.test(url)) return otherwise(url, alt);
  const path = address ? address.pathname : url;
  const film = FILM.test(path) || /^data:video/i.test(url);
  const sound = SOUND.test(path) || /^data:audio/i.test(url);
  const made = element(film ? "video" : sound ? "audio" : "img", className);
  if (film || sound) {
    made.controls = true;
    made.preload = "metadata";
    made.setAttribute("aria-label", alt);
  } else {
    made.alt = alt;
    made.referrerPolicy = "no-referrer";
  }
  made.addEventListener("error", () => {
    const other = otherwise(url, alt);
    if (other) made.replaceWith(other);
    else made.remove();
  });
  made.src = url;
  return made;
}

function cardElement(card, say) {
  const made = element("article", "card");
  made.setAttribute("aria-label", card.title);
  const picture = card.media ? media(card.media, "", "", () => null) : null;
  const inner = element("div");
  inner.append(element("strong", "", card.title));
  if (card.subtitle) inner.append(element("small", "", card.subtitle));
  inner.append(...card.chips.map((chip) => choice(chip, say)));
  made.append(...(picture ? [picture] : []), inner);
  return made;
}

function group(label, className, elements) {
  const made = element("div", className);
  made.setAttribute("role", "group");
  made.setAttribute("aria-label", label);
  made.append(...elements);
  return made;
}

function choices(label, offered, say) {
  return group(label, "rich", offered.map((one) => choice(one, say)));
}

const SHOWN = {
  text: (part) => words("agent", WORDS.agent, part.text),
  media: (part) => media(part.url, part.alt ?? "", "media"),
  card: (part, say) => group(WORDS.card, "rich", [cardElement(part, say)]),
  carousel: (part, say) => {
    const made = group(WORDS.cards, "rich carousel", part.cards.map((card) => cardElement(card, say)));
    made.tabIndex = 0; // so that arrow keys scroll it
    return made;
  },
  chips: (part, say) => choices(WORDS.suggestions, part.chips, say),
  options: (part, say) => choices(WORDS.choices, part.options, say),
  time_picker: (part, say) => choices(WORDS.times, part.slots, say),
  confirm: (part, say) => choices(WORDS.yes_or_no, part.choices, say),
};

// The elements that show one message; `say` is called with the tap of what is tapped, and the words on it.
export function messageElements(message, say) {
  const parts = message.parts ?? [{ kind: "text", text: message.text }];
  return parts.map((part) => SHOWN[part.kind]?.(part, say)).filter(Boolean);
}
