// The page's own words, in the language that the agent's document says; what agent and visitor say is of no known one.

export const WORDS = JSON.parse(document.body.dataset.words);
export const LANGUAGE = document.documentElement.lang;

// By whose customs times are written: those of the page, when the business says a language, else the visitor's.
export const CUSTOMS = document.body.dataset.customs || undefined;
