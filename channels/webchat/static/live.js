// One turn that runs: its steps as quiet lines, its words as they come.

import { dressCode, make, who } from "./make.js";
import { folded, remarkStep, toolStep } from "./steps.js";

const states = { queued: "Waiting for its turn", running: "Thinking", finishing: "Finishing" };

export class LiveTurn {
  constructor() {
    this.words = "";
    this.calls = new Map();
    this.steps = make("ul", { className: "steps" });
    this.body = make("div", { className: "body" });
    this.state = make("p", { className: "state" }, dots(), make("span", {}, states.queued));
    this.item = make("li", { className: "said live" }, who("Stonechat"));
    this.item.append(this.steps, this.body, this.state);
  }

  /** Paint the whole of it anew. */
  repaint({ state, words = "", html = "", tools = [] }) {
    this.steps.replaceChildren();
    this.calls.clear();
    tools.forEach((tool) => this.tool(tool));
    this.words = words;
    this.show(0, html);
    this.setState(states[state] ?? states.running);
  }

  take(frame) {
    switch (frame.type) {
      case "words":
        this.words += frame.text;
        break;
      case "shown":
        this.show(frame.keep, frame.html);
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
    this.words = "";
    this.show(0, "");
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
    this.body.before(this.steps);
    const calls = this.calls.size || count; // as the record counts them: a remark is none
    const title = this.calls.size === 1 ? steps.querySelector(".tool").textContent : `${calls} steps`;
    return folded(title, steps);
  }

  tool(frame) {
    const step = toolStep(frame);
    if (this.calls.has(frame.call)) {
      this.calls.get(frame.call).replaceWith(step);
    } else {
      this.steps.append(step);
    }
    this.calls.set(frame.call, step);
  }

  // Words before a tool call were no answer: they become one of the steps.
  keepProgress() {
    if (this.words.trim()) {
      this.steps.append(remarkStep(this.words.trim()));
    }
    this.clearWords();
  }

  // The first elements stay as they are, so that nothing flickers and a selection in them holds.
  // The HTML is the bot's own, like a line's (channels/webchat/render.py).
  show(keep, html) {
    while (this.body.children.length > keep) {
      this.body.lastChild.remove();
    }
    const fresh = document.createElement("template");
    fresh.innerHTML = html;
    dressCode(fresh.content);
    this.body.append(fresh.content);
    this.item.classList.toggle("writing", Boolean(this.body.children.length));
  }

  setState(text) {
    this.state.lastChild.textContent = text;
  }
}

function dots() {
  return make("span", { className: "dots", ariaHidden: "true" }, make("i"), make("i"), make("i"));
}
