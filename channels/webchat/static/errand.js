// Brings what was said in a conversation that is not on the screen any more, then goes home.

import { sayFrame } from "./outbox.js";
import { Socket } from "./socket.js";

const protocol = 1;

export class Errand {
  constructor({ path, messages, onFrame, isLoggedIn }) {
    this.messages = messages;
    this.onFrame = onFrame;
    this.socket = new Socket({
      path,
      onOpen: () => this.socket.send({ type: "hello", protocol }),
      onFrame: (frame) => this.take(frame),
      onWaiting: () => {},
      isLoggedIn,
      onLocked: () => {},
    });
    this.socket.connectNow();
  }

  /** Go home, whatever is left: the conversation is on the screen again, or it was deleted. */
  end() {
    clearTimeout(this.timer);
    this.socket.close();
  }

  take(frame) {
    if (frame.type === "open") {
      this.sendAll();
    } else if (frame.type === "accepted" || frame.type === "refused") {
      this.onFrame(frame);
      if (!this.messages().length) {
        this.end();
      } else if (frame.retry !== undefined) {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.sendAll(), frame.retry * 1000);
      }
    }
  }

  sendAll() {
    for (const message of this.messages()) {
      this.socket.send(sayFrame(message));
    }
  }
}
