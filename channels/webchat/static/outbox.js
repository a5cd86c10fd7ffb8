// Messages that are not accepted yet. They survive a reload, and keep their id: it is the claim
// by which the bot knows a repeated message.

const key = "stonechat.waiting";

export class Outbox {
  constructor(storage, send) {
    this.storage = storage;
    this.send = send;
    this.messages = new Map(read(storage).map((message) => [message.id, message]));
  }

  /** Keep a new message, and return it with its id. */
  add(conversation, text, attachments, replaces) {
    const message = { id: crypto.randomUUID(), conversation, text, attachments, replaces, at: Date.now() };
    this.messages.set(message.id, message);
    this.write();
    return message;
  }

  /** Return what is on its way in a conversation, oldest first. */
  of(conversation) {
    return [...this.messages.values()].filter((message) => message.conversation === conversation);
  }

  /** Return the conversations in which something is on its way. */
  conversations() {
    return new Set([...this.messages.values()].map(({ conversation }) => conversation));
  }

  /** It was accepted, or given up. */
  forget(id) {
    if (this.messages.delete(id)) {
      this.write();
    }
  }

  /** Send it again after a while, if it is still here then. */
  repeatLater(id, milliseconds) {
    setTimeout(() => {
      const message = this.messages.get(id);
      if (message) {
        this.send(message);
      }
    }, milliseconds);
  }

  write() {
    try {
      this.storage.setItem(key, JSON.stringify([...this.messages.values()]));
    } catch {
      // Storage is full or forbidden: the message then lives as long as the page.
    }
  }
}

/** The message as the bot is told it. */
export function sayFrame({ id, text, attachments, replaces }) {
  const ids = attachments?.length ? attachments.map((file) => file.id) : undefined;
  return { type: "say", id, text, attachments: ids, replaces };
}

function read(storage) {
  try {
    return JSON.parse(storage.getItem(key) ?? "[]")
      .filter(({ id, text }) => typeof id === "string" && typeof text === "string")
      .map((message) => ({ conversation: "main", ...message }));
  } catch {
    return [];
  }
}
