// What was said elsewhere and not accepted yet is brought there, whatever is on the screen.

import { Errand } from "./errand.js";

export class Errands {
  constructor({ outbox, pathOf, isLoggedIn, onAccepted }) {
    Object.assign(this, { outbox, pathOf, isLoggedIn, onAccepted });
    this.running = new Map();
  }

  /** Run those of every conversation but the one on the screen. */
  run(onScreen) {
    const wanted = this.outbox.conversations();
    wanted.delete(onScreen);
    for (const [id, errand] of this.running) {
      if (!wanted.has(id)) {
        errand.end();
        this.running.delete(id);
      }
    }
    for (const id of wanted) {
      if (!this.running.has(id)) {
        this.running.set(id, this.errand(id));
      }
    }
  }

  errand(id) {
    return new Errand({
      path: this.pathOf(id),
      messages: () => this.outbox.of(id),
      onFrame: (frame) => {
        if (frame.type === "accepted") {
          this.outbox.forget(frame.id);
          this.onAccepted();
        }
      },
      isLoggedIn: this.isLoggedIn,
    });
  }
}
