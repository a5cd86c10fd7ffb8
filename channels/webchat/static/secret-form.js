// A form with one secret in it: shown on demand, sent once, and gone from the page when it was taken.

import { Progress } from "./progress.js";

export class SecretForm {
  constructor({ form, asking, send, onDone }) {
    Object.assign(this, { form, asking, send, onDone });
    this.field = form.querySelector(".field input");
    this.show = form.querySelector(".show");
    this.progress = new Progress(form);
    this.show.addEventListener("click", () => this.setShown(this.field.type === "password"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
  }

  /** Bring the field into view, ready to be typed into. */
  reveal() {
    this.form.scrollIntoView({ block: "start" });
    this.field.focus({ preventScroll: true });
  }

  /** Let go of all that was typed: the next secret is for its own server, not for this one's. */
  clear() {
    this.form.reset();
    this.setShown(false);
    for (const details of this.form.querySelectorAll("details")) {
      details.open = false;
    }
  }

  setShown(shown) {
    this.field.type = shown ? "text" : "password";
    this.show.textContent = shown ? "Hide" : "Show";
    this.show.setAttribute("aria-pressed", String(shown));
  }

  async submit() {
    const secret = this.field.value.trim();
    if (!secret) {
      this.progress.fail(`${this.field.labels[0].textContent}: nothing was typed.`);
      this.field.focus({ preventScroll: true }); // what is wrong stays in view
      return;
    }
    this.setShown(false);
    const done = await this.progress.during(this.asking, () => this.send(secret));
    if (done) {
      this.progress.praise();
      this.clear();
      this.onDone();
    } else if (this.form.contains(document.activeElement)) {
      this.field.focus({ preventScroll: true }); // what is wrong stays in view
    }
  }
}
