// How something that takes a while goes: said at once, with its seconds, and how it ended.

import { make } from "./make.js";

const countAfter = 3; // seconds; what is quicker needs no count

export class Progress {
  constructor(root) {
    this.root = root;
    this.outcome = root.querySelector(".outcome");
    this.trouble = root.querySelector(".trouble");
  }

  /** Carry something out that ends in sentences; return them, or undefined if it failed or one runs. */
  async during(asking, work) {
    if (this.root.ariaBusy === "true") {
      return undefined;
    }
    this.begin(asking);
    try {
      const [first, ...rest] = await work();
      const notes = rest.filter(Boolean).map((note) => make("span", { className: "note" }, note));
      this.outcome.replaceChildren(make("strong", {}, first), ...notes.flatMap((note) => [" ", note]));
      return [first, ...rest];
    } catch (error) {
      this.fail(error.message);
      return undefined;
    } finally {
      this.end();
    }
  }

  /** Show that what was carried out has changed something. */
  praise() {
    this.outcome.classList.add("done");
  }

  begin(asking) {
    // The count is for eyes; a screen reader hears the sentence once.
    const count = make("span", { ariaHidden: "true" });
    this.root.ariaBusy = "true";
    this.trouble.textContent = "";
    this.outcome.classList.remove("done");
    this.outcome.classList.add("running");
    this.outcome.replaceChildren(make("span", {}, asking), count);
    const began = Date.now();
    this.timer = setInterval(() => {
      const seconds = Math.round((Date.now() - began) / 1000);
      count.textContent = seconds < countAfter ? "" : ` ${seconds} s`;
    }, 1000);
    for (const button of this.root.querySelectorAll("button:not(.show)")) {
      button.setAttribute("aria-disabled", "true");
    }
  }

  end() {
    clearInterval(this.timer);
    this.root.ariaBusy = null;
    this.outcome.classList.remove("running");
    for (const button of this.root.querySelectorAll("[aria-disabled]")) {
      button.removeAttribute("aria-disabled");
    }
  }

  fail(sentence) {
    this.outcome.replaceChildren();
    this.trouble.textContent = sentence;
    this.trouble.scrollIntoView({ block: "nearest" }); // a form with its details open is taller than a screen
  }

  forget() {
    if (this.root.ariaBusy !== "true") {
      this.outcome.replaceChildren();
      this.trouble.textContent = "";
    }
  }
}
