// What a turn does on its way to the answer, as quiet lines: live, and later from the record.

import { make } from "./make.js";

const verbs = {
  read_file: ["Reading", "Read"],
  write_file: ["Writing", "Wrote"],
  edit_file: ["Editing", "Edited"],
  list_files: ["Looking through", "Looked through"],
  search_files: ["Searching for", "Searched for"],
  shell: ["Running", "Ran"],
};
const fates = {
  error: "it failed",
  denied: "it was not allowed",
  killed: "it was stopped",
  unknown: "nobody knows how it ended",
  asked: "it has to be approved",
};

/** A call of a tool. */
export function toolStep({ name, summary, state }) {
  const [doing, done] = verbs[name] ?? [name, name];
  const what = name === "list_files" && summary === "." ? "the workspace" : (summary ?? "");
  const text = `${state === "running" ? doing : done} ${what}`.trim();
  const fate = fates[state] ? make("em", {}, `: ${fates[state]}`) : "";
  return make("li", { className: `step tool ${state}` }, make("span", {}, text, fate));
}

/** Words before a call, which were no answer. */
export function remarkStep(text) {
  return make("li", { className: "step said-so" }, text);
}

/** Steps, folded, to stand above an answer. */
export function folded(title, steps) {
  return make("details", { className: "taken" }, make("summary", {}, title), steps);
}

/** The steps of a turn that is over: fetched when they are opened. One alone is the title, as it was live. */
export function recordedSteps(conversation, turn, count) {
  const list = make("ul", { className: "steps" });
  const details = folded(count === 1 ? "1 step" : `${count} steps`, list);
  const fetched = () => list.children.length || list.ariaBusy === "true" || fill(list, conversation, turn);
  details.addEventListener("toggle", () => details.open && fetched());
  if (count === 1) {
    whenSeen(details, async () => {
      await fetched();
      const one = list.querySelector(".tool");
      details.querySelector("summary").textContent = one ? one.textContent : "1 step";
    });
  }
  return details;
}

/** Do something once an element is on the screen: nobody waits for what is further up. */
function whenSeen(element, act) {
  const observer = new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting)) {
      observer.disconnect();
      act();
    }
  });
  observer.observe(element);
}

async function fill(list, conversation, turn) {
  list.ariaBusy = "true";
  try {
    const answer = await fetch(`/conversations/${conversation}/steps/${turn}`);
    if (!answer.ok) {
      throw new Error(await answer.text());
    }
    const { steps } = await answer.json();
    const items = steps.map(({ text, name, state }) => (name ? toolStep({ name, summary: text, state }) : remarkStep(text)));
    list.replaceChildren(...items);
  } catch (error) {
    const reason = error instanceof TypeError ? "Stonechat does not answer." : error.message;
    list.replaceChildren(make("li", { className: "step error" }, `The steps could not be fetched. ${reason}`));
    list.closest("details").addEventListener("toggle", () => list.replaceChildren(), { once: true });
  }
  list.ariaBusy = "false";
}
