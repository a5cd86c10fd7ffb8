// The page: signs in, then joins the socket, the messages on their way, the thread and the composer.

import { Composer } from "./composer.js";
import { logIn, isLoggedIn, takeCode } from "./login.js";
import { make } from "./make.js";
import { Outbox } from "./outbox.js";
import { Socket } from "./socket.js";
import { Thread } from "./thread.js";

const element = (id) => document.getElementById(id);
const quietMilliseconds = 1200; // a connection that is back before this was never missed
const protocol = 1;
const largestFrame = 256 * 1024; // bytes; a larger one would end the connection (protocol.py)

class Page {
  constructor() {
    this.lastSeq = 0;
    this.joined = false;
    this.stops = new Map();
    this.thread = new Thread({
      lines: element("lines"),
      waiting: element("waiting"),
      live: element("live"),
      empty: element("empty"),
      latest: element("latest"),
      progress: element("progress"),
      onRunning: (running) => this.composer.setRunning(running),
      onEdit: (id, text) => {
        this.outbox.forget(id);
        this.composer.fill(text);
      },
    });
    this.outbox = new Outbox(window.localStorage, (message) => this.sendIfJoined(message));
    this.composer = new Composer({
      form: element("composer"),
      field: element("message"),
      sendButton: element("send"),
      stopButton: element("stop"),
      storage: window.localStorage,
      onSend: (text) => this.say(text),
      onStop: () => this.stop(),
    });
    this.socket = new Socket({
      onOpen: () => this.hello(),
      onFrame: (frame) => this.take(frame),
      onWaiting: (milliseconds) => this.showOffline(milliseconds),
      isLoggedIn,
      onLocked: (sentence) => this.lock(sentence),
    });
    element("retry").addEventListener("click", () => this.socket.connectNow());
    for (const button of document.querySelectorAll(".suggestion")) {
      button.addEventListener("click", () => this.say(button.textContent));
    }
  }

  async start() {
    const code = takeCode();
    if (code) {
      const refusal = await logIn(code, (milliseconds) => this.showOffline(milliseconds));
      const loggedInBefore = refusal && (await isLoggedIn().catch(() => false));
      if (refusal && loggedInBefore !== true) {
        this.lock(refusal);
        return;
      }
    }
    for (const message of this.outbox.all()) {
      this.thread.showWaiting(message);
    }
    this.composer.focus();
    this.socket.connectNow();
  }

  hello() {
    this.socket.send({ type: "hello", protocol, after_seq: this.lastSeq });
  }

  say(text) {
    const message = this.outbox.add(text);
    this.thread.showWaiting(message);
    this.thread.toBottom();
    if (new Blob([JSON.stringify(sayFrame(message))]).size > largestFrame) {
      this.outbox.forget(message.id);
      this.thread.showRefused(message.id, "The message is too long: more than 256 KiB.");
    } else {
      this.sendIfJoined(message);
    }
  }

  stop() {
    const frame = { type: "stop", id: crypto.randomUUID() };
    this.stops.set(frame.id, frame);
    if (this.joined) {
      this.socket.send(frame);
    }
  }

  sendIfJoined(message) {
    if (this.joined) {
      this.socket.send(sayFrame(message));
    }
  }

  take(frame) {
    switch (frame.type) {
      case "welcome":
        this.welcome(frame);
        break;
      case "line":
        this.line(frame);
        break;
      case "open":
        this.thread.showOpen(frame.turns);
        this.join();
        break;
      case "accepted":
        if (this.stops.delete(frame.id)) {
          this.thread.ignore(frame.turn);
        }
        this.outbox.forget(frame.id);
        this.thread.showAccepted(frame.id);
        break;
      case "refused":
        this.refused(frame);
        break;
      case "error":
        console.warn("stonechat:", frame.reason);
        break;
      default:
        this.thread.showNews(frame);
    }
  }

  welcome(frame) {
    clearTimeout(this.offlineTimer);
    element("connection").hidden = true;
    element("model").textContent = frame.model ?? "";
    element("problem").textContent = frame.problem ?? "";
    element("problem").hidden = !frame.problem;
    if (frame.earlier) {
      element("earlier").hidden = false;
    }
  }

  line(frame) {
    if (frame.seq <= this.lastSeq) {
      return;
    }
    this.lastSeq = frame.seq;
    if (frame.source?.startsWith("c:")) {
      this.outbox.forget(frame.source.slice(2));
    }
    this.thread.showLine(frame);
  }

  // Everything that was said before is known now: send what never was accepted.
  join() {
    this.joined = true;
    this.thread.showEmptyIfEmpty();
    for (const message of this.outbox.all()) {
      this.sendIfJoined(message);
    }
    for (const frame of this.stops.values()) {
      this.socket.send(frame);
    }
  }

  refused(frame) {
    const stop = this.stops.get(frame.id);
    if (stop) {
      setTimeout(() => this.stops.has(stop.id) && this.socket.send(stop), (frame.retry ?? 1) * 1000);
    } else if (frame.retry === undefined) {
      this.outbox.forget(frame.id);
      this.thread.showRefused(frame.id, frame.reason);
    } else {
      this.thread.showPutOff(frame.id, frame.reason);
      this.outbox.repeatLater(frame.id, frame.retry * 1000);
    }
  }

  showOffline(milliseconds) {
    this.joined = false;
    const text =
      milliseconds > 1500
        ? `Stonechat does not answer. Trying again in ${Math.round(milliseconds / 1000)} s.`
        : "Stonechat does not answer. Trying again…";
    element("connection-text").textContent = text;
    clearTimeout(this.offlineTimer);
    const show = () => {
      element("connection").hidden = false;
    };
    this.offlineTimer = setTimeout(show, element("connection").hidden ? quietMilliseconds : 0);
  }

  lock(sentence) {
    clearTimeout(this.offlineTimer);
    this.socket.close();
    element("connection").hidden = true;
    element("locked-text").replaceChildren(...withCode(sentence));
    element("locked").hidden = false;
    document.body.classList.add("is-locked");
    document.title = "Stonechat: sign in";
  }
}

function sayFrame({ id, text }) {
  return { type: "say", id, text };
}

// What stands between backticks is to be typed.
function withCode(sentence) {
  return sentence.split("`").map((part, index) => (index % 2 ? make("code", {}, part) : part));
}

new Page().start();
