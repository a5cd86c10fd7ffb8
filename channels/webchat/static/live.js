// One turn that runs: its steps as quiet lines, its words as they come.

import { make, who } from "./make.js";

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
};
const states = { queued: "Waiting for its turn", running: "Thinking", finishing: "Finishing" };

export class LiveTurn {
  constructor() {
    this.words = "";
    this.calls = new Map();
    this.steps = make("ul", { className: "steps" });
    this.text = make("p", { className: "text" });
    this.state = make("p", { className: "state" }, dots(), make("span", {}, states.queued));
    this.item = make("li", { className: "said live" }, who("Stonechat"));
    this.item.append(this.steps, this.text, this.state);
  }

  /** Paint the whole of it anew. */
  repaint({ state, words = "", tools = [] }) {
    this.steps.replaceChildren();
    this.calls.clear();
    tools.forEach((tool) => this.tool(tool));
    this.setWords(words);
    this.setState(states[state] ?? states.running);
  }

  take(frame) {
    switch (frame.type) {
      case "words":
        this.setWords(this.words + frame.text);
        break;
      case "made":
        if (!frame.final) {
          this.keepProgress();
        }
        break;
      case "dropped":
        this.clearWords();
        break;
      case "tool":
        this.tool(frame);
        break;
      case "status":
        this.setState(states[frame.state] ?? `Trying again: ${frame.reason}`);
        break;
    }
  }

  clearWords() {
    this.setWords("");
  }

  /** The outcome is known; only the line is missing. */
  settle() {
    this.item.classList.add("settled");
  }

  /** Give the steps away, folded, to stand above the answer; nothing if there were none. */
  takeSteps() {
    const count = this.steps.children.length;
    if (!count) {
      return null;
    }
    const steps = this.steps;
    this.steps = make("ul", { className: "steps" });
    this.text.before(this.steps);
    const title = this.calls.size === 1 ? steps.querySelector(".tool").textContent : `${count} steps`;
    return make("details", { className: "taken" }, make("summary", {}, title), steps);
  }

  tool({ call, name, summary, state }) {
    const [doing, done] = verbs[name] ?? [name, name];
    const text = `${state === "running" ? doing : done} ${summary ?? ""}`.trim();
    const fate = fates[state] ? make("em", {}, `: ${fates[state]}`) : "";
    const step = make("li", { className: `step tool ${state}` }, make("span", {}, text, fate));
    if (this.calls.has(call)) {
      this.calls.get(call).replaceWith(step);
    } else {
      this.steps.append(step);
    }
    this.calls.set(call, step);
  }

  // Words before a tool call were no answer: they become one of the steps.
  keepProgress() {
    if (this.words.trim()) {
      this.steps.append(make("li", { className: "step said-so" }, this.words.trim()));
    }
    this.clearWords();
  }

  setWords(words) {
    this.words = words;
    this.text.textContent = words;
    this.item.classList.toggle("writing", Boolean(words));
  }

  setState(text) {
    this.state.lastChild.textContent = text;
  }
}

function dots() {
  return make("span", { className: "dots", ariaHidden: "true" }, make("i"), make("i"), make("i"));
}
