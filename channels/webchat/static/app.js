// The page: signs in, then joins the socket, the messages on their way, the thread, the composer
// and the list of conversations.

import { Composer } from "./composer.js";
import { Errand } from "./errand.js";
import { logIn, isLoggedIn, takeCode } from "./login.js";
import { make } from "./make.js";
import { Outbox, sayFrame } from "./outbox.js";
import { Panel } from "./panel.js";
import { Sidebar, pathOf } from "./sidebar.js";
import { Socket } from "./socket.js";
import { Thread } from "./thread.js";
import { isSomebodyElse, showWho } from "./who.js";

const element = (id) => document.getElementById(id);
const quietMilliseconds = 1200; // a connection that is back before this was never missed
const protocol = 1;
const largestFrame = 256 * 1024; // bytes; a larger one would end the connection (protocol.py)

class Page {
  constructor() {
    this.lastSeq = 0;
    this.joined = false;
    this.stops = new Map();
    this.errands = new Map();
    this.thread = new Thread({
      lines: element("lines"),
      waiting: element("waiting"),
      live: element("live"),
      empty: element("empty"),
      latest: element("latest"),
      progress: element("progress"),
      again: element("again"),
      onRunning: (running) => this.composer.setRunning(running),
      onEdit: (id, text) => {
        this.outbox.forget(id);
        this.composer.fill(text);
      },
      onUnread: () => this.showTitle(),
    });
    this.outbox = new Outbox(window.localStorage, (message) => this.sendIfJoined(message));
    this.composer = new Composer({
      form: element("composer"),
      field: element("message"),
      sendButton: element("send"),
      stopButton: element("stop"),
      storage: window.localStorage,
      editing: element("editing"),
      onSend: (text, replaces) => this.say(text, replaces),
      onEditLast: () => this.edit(),
      onStop: () => this.stop(),
    });
    this.socket = new Socket({
      path: "/ws",
      onOpen: () => this.hello(),
      onFrame: (frame) => this.take(frame),
      onWaiting: (milliseconds) => this.showOffline(milliseconds),
      isLoggedIn,
      onLocked: (sentence) => this.lock(sentence),
    });
    this.sidebar = new Sidebar({
      onOpen: (id, seq) => this.goTo(id, seq),
      onNew: () => this.begin(),
      onList: (rows) => this.setTitle(rows.find(({ id }) => id === this.conversation)?.title),
      onDeleted: (id, next) => this.deleted(id, next),
      onLeave: () => element("message").focus(),
    });
    this.panel = new Panel();
    window.addEventListener("popstate", () => this.open(conversationAt(location.pathname)));
    element("edit").addEventListener("click", () => this.edit());
    element("answer-again").addEventListener("click", () => {
      const { id, text } = this.thread.last;
      this.say(text, id);
    });
    element("retry").addEventListener("click", () => this.socket.connectNow());
    for (const button of document.querySelectorAll(".suggestion")) {
      button.addEventListener("click", () => this.say(button.textContent));
    }
  }

  async start() {
    const code = takeCode();
    this.composer.open(conversationAt(location.pathname));
    if (code) {
      const refusal = await logIn(code, (milliseconds) => this.showOffline(milliseconds));
      const loggedInBefore = refusal && (await isLoggedIn().catch(() => false));
      if (refusal && loggedInBefore !== true) {
        this.lock(refusal);
        return;
      }
    }
    this.open(conversationAt(location.pathname));
  }

  /** Bring a conversation to the screen, and a line of it into view. */
  goTo(id, seq) {
    if (id !== this.conversation) {
      history.pushState(null, "", pathOf(id));
      this.open(id);
    }
    this.wantedSeq = seq;
    this.showWanted();
  }

  open(id) {
    this.conversation = id;
    this.lastSeq = 0;
    this.joined = false;
    this.wantedSeq = undefined;
    this.stops.clear();
    this.thread.clear();
    element("earlier").hidden = true;
    this.setTitle();
    for (const message of this.outbox.of(id)) {
      this.thread.showWaiting(message);
    }
    this.sidebar.setCurrent(id);
    this.composer.open(id);
    this.composer.focus();
    this.socket.goTo(socketPath(id));
    this.runErrands();
  }

  begin() {
    if (!this.thread.isEmpty) {
      this.goTo(crypto.randomUUID());
    }
    element("message").focus();
  }

  deleted(id, next) {
    for (const message of this.outbox.of(id)) {
      this.outbox.forget(message.id);
    }
    this.composer.dropDraft(id);
    if (id === this.conversation) {
      history.replaceState(null, "", pathOf(next));
      this.open(next);
    }
  }

  // What was said elsewhere and not accepted yet is brought there, whatever is on the screen.
  runErrands() {
    const wanted = this.outbox.conversations();
    wanted.delete(this.conversation);
    for (const [id, errand] of this.errands) {
      if (!wanted.has(id)) {
        errand.end();
        this.errands.delete(id);
      }
    }
    for (const id of wanted) {
      if (!this.errands.has(id)) {
        this.errands.set(id, this.errand(id));
      }
    }
  }

  errand(id) {
    return new Errand({
      path: socketPath(id),
      messages: () => this.outbox.of(id),
      onFrame: (frame) => {
        if (frame.type === "accepted") {
          this.outbox.forget(frame.id);
          this.sidebar.reloadSoon();
        }
      },
      isLoggedIn,
    });
  }

  hello() {
    this.socket.send({ type: "hello", protocol, after_seq: this.lastSeq });
  }

  edit() {
    const { last, running } = this.thread;
    if (last && !running) {
      this.composer.edit(last.id, last.text);
    }
  }

  say(text, replaces) {
    const message = this.outbox.add(this.conversation, text, replaces);
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
    if (this.joined && message.conversation === this.conversation) {
      this.socket.send(sayFrame(message));
    }
  }

  take(frame) {
    switch (frame.type) {
      case "welcome":
        this.welcome(frame);
        break;
      case "about":
        this.about(frame);
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
      case "forgotten":
        this.thread.forget();
        this.thread.settle();
        this.setTitle();
        this.sidebar.reloadSoon();
        break;
      case "error":
        console.warn("stonechat:", frame.reason);
        break;
      default:
        this.thread.showNews(frame);
    }
  }

  welcome(frame) {
    if (isSomebodyElse(frame)) {
      this.socket.close();
      location.reload();
      return;
    }
    showWho(frame);
    clearTimeout(this.offlineTimer);
    element("connection").hidden = true;
    this.about(frame);
    this.setTitle(frame.title);
    if (frame.anew) {
      this.lastSeq = 0;
      this.thread.forget();
    }
    if (frame.earlier) {
      element("earlier").hidden = false;
    }
  }

  // Who answers, as the greeting says it and again whenever it changes.
  about(frame) {
    element("model").textContent = frame.model ?? "";
    element("problem").textContent = frame.problem ?? "";
    element("problem").hidden = !frame.problem;
    this.panel.introduce(frame);
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
    if (this.joined && frame.direction === "heard") {
      this.sidebar.reloadSoon();
    }
  }

  // Everything that was said before is known now: send what never was accepted.
  join() {
    this.joined = true;
    this.thread.settle();
    this.showWanted();
    this.sidebar.reloadSoon();
    for (const message of this.outbox.of(this.conversation)) {
      this.sendIfJoined(message);
    }
    for (const frame of this.stops.values()) {
      this.socket.send(frame);
    }
  }

  showWanted() {
    if (this.joined && this.wantedSeq !== undefined) {
      this.thread.showFound(this.wantedSeq);
      this.wantedSeq = undefined;
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

  setTitle(title) {
    this.title = title;
    element("title").textContent = title ?? "New conversation";
    this.showTitle();
  }

  showTitle() {
    const unread = this.thread.unread ? `(${this.thread.unread}) ` : "";
    document.title = unread + (this.title ? `${this.title} · Stonechat` : "Stonechat");
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
    this.panel.showOffline();
    this.offlineTimer = setTimeout(show, element("connection").hidden ? quietMilliseconds : 0);
  }

  lock(sentence) {
    clearTimeout(this.offlineTimer);
    this.socket.close();
    this.panel.introduce({});
    element("connection").hidden = true;
    element("locked-text").replaceChildren(...withCode(sentence));
    element("locked").hidden = false;
    element("title").textContent = "Stonechat";
    document.body.classList.add("is-locked");
    document.title = "Stonechat: sign in";
  }
}

function conversationAt(path) {
  return path.startsWith("/c/") ? path.slice(3) : "main";
}

function socketPath(id) {
  return id === "main" ? "/ws" : `/ws/${id}`;
}

// What stands between backticks is to be typed.
function withCode(sentence) {
  return sentence.split("`").map((part, index) => (index % 2 ? make("code", {}, part) : part));
}

new Page().start();
