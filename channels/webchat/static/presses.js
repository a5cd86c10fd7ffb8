// Buttons that were pressed and are not accepted yet: like messages, they are sent until they are.

export class Presses {
  constructor(send) {
    this.send = send;
    this.waiting = new Map();
  }

  /** Press a button: a stop, or a choice below a line. */
  press(frame) {
    const pressed = { ...frame, id: crypto.randomUUID() };
    this.waiting.set(pressed.id, pressed);
    this.send(pressed);
  }

  /** Send again what is not accepted yet. */
  sendAll() {
    this.waiting.forEach((frame) => this.send(frame));
  }

  /** Say whether it was a button that was accepted. */
  accepted(id) {
    return this.waiting.delete(id);
  }

  /** Say whether it was a button that was refused; what may be taken later is sent again. */
  refused({ id, retry }) {
    const frame = this.waiting.get(id);
    if (frame && retry === undefined) {
      this.waiting.delete(id);
    } else if (frame) {
      setTimeout(() => this.waiting.has(id) && this.send(frame), retry * 1000);
    }
    return Boolean(frame);
  }

  clear() {
    this.waiting.clear();
  }
}
