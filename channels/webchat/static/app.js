// The page: signs in, then joins the socket, the messages on their way, the thread, the composer
// and the list of conversations.

import { Composer } from "./composer.js";
import { DropZone } from "./drop.js";
import { Earlier } from "./earlier.js";
import { Errands } from "./errands.js";
import { Files } from "./files.js";
import { logIn, isLoggedIn, takeCode } from "./login.js";
import { Outbox, sayFrame } from "./outbox.js";
import { Panel } from "./panel.js";
import { Presses } from "./presses.js";
import { Sidebar, pathOf } from "./sidebar.js";
import { Socket } from "./socket.js";
import { Status } from "./status.js";
import { Thread } from "./thread.js";
import { isSomebodyElse, showWho } from "./who.js";

const element = (id) => document.getElementById(id);
const protocol = 1;
const largestFrame = 256 * 1024; // bytes; a larger one would end the connection (protocol.py)

class Page {
  constructor() {
    this.lastSeq = 0;
    this.joined = false;
    this.presses = new Presses((frame) => this.joined && this.socket.send(frame));
    this.status = new Status({ onRetry: () => this.socket.connectNow() });
    this.thread = new Thread({
      lines: element("lines"),
      waiting: element("waiting"),
      live: element("live"),
      empty: element("empty"),
      latest: element("latest"),
      progress: element("progress"),
      again: element("again"),
      onRunning: (running) => this.composer.setRunning(running),
      onEdit: (message) => {
        this.outbox.forget(message.id);
        this.composer.fill(message);
      },
      onPress: (value) => this.presses.press({ type: "press", value }),
      onUnread: (unread) => this.status.setUnread(unread),
    });
    this.earlier = new Earlier({ place: element("earlier"), thread: this.thread });
    this.outbox = new Outbox(window.localStorage, (message) => this.sendIfJoined(message));
    this.files = new Files({
      list: element("files"),
      told: element("files-told"),
      input: element("file-input"),
      button: element("attach"),
      storage: window.localStorage,
      onChanged: () => this.composer?.setReady(),
    });
    this.drop = new DropZone({
      sheet: element("drop"),
      onFiles: (files) => this.files.add(files),
      onFolder: () => this.files.tell("A folder cannot be attached; choose its files.", "refused"),
    });
    this.errands = new Errands({
      outbox: this.outbox,
      pathOf: socketPath,
      isLoggedIn,
      onAccepted: () => this.sidebar.reloadSoon(),
    });
    this.composer = new Composer({
      form: element("composer"),
      field: element("message"),
      sendButton: element("send"),
      stopButton: element("stop"),
      storage: window.localStorage,
      editing: element("editing"),
      files: this.files,
      onSend: (text, attachments, replaces) => this.say(text, attachments, replaces),
      onEditLast: () => this.edit(),
      onStop: () => this.stop(),
    });
    this.socket = new Socket({
      path: "/ws",
      onOpen: () => this.hello(),
      onFrame: (frame) => this.take(frame),
      onWaiting: (milliseconds) => {
        this.joined = false;
        this.panel.showOffline();
        this.status.showOffline(milliseconds);
      },
      isLoggedIn,
      onLocked: (sentence) => this.lock(sentence),
    });
    this.sidebar = new Sidebar({
      onOpen: (id, seq) => this.goTo(id, seq),
      onNew: () => this.begin(),
      onList: (rows) => this.status.setTitle(rows.find(({ id }) => id === this.conversation)?.title),
      onDeleted: (id, next) => this.deleted(id, next),
      onLeave: () => element("message").focus(),
    });
    this.panel = new Panel();
    window.addEventListener("popstate", () => this.open(conversationAt(location.pathname)));
    element("edit").addEventListener("click", () => this.edit());
    element("answer-again").addEventListener("click", () => {
      const { id, text, attachments } = this.thread.last;
      this.say(text, attachments, id);
    });
    for (const button of document.querySelectorAll(".suggestion")) {
      button.addEventListener("click", () => this.say(button.textContent, []));
    }
  }

  async start() {
    const code = takeCode();
    this.conversation = conversationAt(location.pathname); // what is said while it logs in belongs there
    this.composer.open(this.conversation);
    this.composer.focus();
    if (code) {
      const refusal = await logIn(code, (milliseconds) => this.status.showOffline(milliseconds));
      const loggedInBefore = refusal && (await isLoggedIn().catch(() => false));
      if (refusal && loggedInBefore !== true) {
        this.lock(refusal);
        return;
      }
    }
    this.show(this.conversation);
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
    this.show(id);
    this.composer.focus();
  }

  // Where the focus is, it stays: it may have gone elsewhere while the page logged in.
  show(id) {
    this.conversation = id;
    this.lastSeq = 0;
    this.joined = false;
    this.wantedSeq = undefined;
    this.presses.clear();
    this.thread.clear(id);
    this.earlier.open(id);
    this.isEarlier = false;
    this.status.setTitle();
    for (const message of this.outbox.of(id)) {
      this.thread.showWaiting(message);
    }
    this.sidebar.setCurrent(id);
    this.composer.open(id);
    this.socket.goTo(socketPath(id));
    this.errands.run(id);
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

  hello() {
    this.socket.send({ type: "hello", protocol, after_seq: this.lastSeq });
  }

  edit() {
    const { last, running } = this.thread;
    if (last && !running) {
      this.composer.edit(last);
    }
  }

  say(text, attachments, replaces) {
    const message = this.outbox.add(this.conversation, text, attachments ?? [], replaces);
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
    this.presses.press({ type: "stop" });
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
        if (this.presses.accepted(frame.id)) {
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
        this.earlier.show(false);
        this.status.setTitle();
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
    this.status.welcome();
    this.composer.suggestions.offer(frame.commands);
    this.about(frame);
    this.status.setTitle(frame.title);
    if (frame.anew || (frame.earlier && this.lastSeq)) {
      // All that is here is gone, or too much came since: begin with what follows.
      this.lastSeq = 0;
      this.thread.forget();
      this.isEarlier = false;
    }
    this.isEarlier ||= frame.earlier;
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
    if (this.isEarlier) {
      this.earlier.show(true);
      this.isEarlier = false;
    }
    this.showWanted();
    this.sidebar.reloadSoon();
    for (const message of this.outbox.of(this.conversation)) {
      this.sendIfJoined(message);
    }
    this.presses.sendAll();
  }

  async showWanted() {
    if (this.joined && this.wantedSeq !== undefined) {
      const seq = this.wantedSeq;
      this.wantedSeq = undefined;
      await this.earlier.reach(seq);
      this.thread.showFound(seq);
    }
  }

  refused(frame) {
    if (this.presses.refused(frame)) {
      return;
    }
    if (frame.retry === undefined) {
      this.outbox.forget(frame.id);
      this.thread.showRefused(frame.id, frame.reason);
    } else {
      this.thread.showPutOff(frame.id, frame.reason);
      this.outbox.repeatLater(frame.id, frame.retry * 1000);
    }
  }

  lock(sentence) {
    this.socket.close();
    this.panel.introduce({});
    this.status.lock(sentence);
  }
}

function conversationAt(path) {
  return path.startsWith("/c/") ? path.slice(3) : "main";
}

function socketPath(id) {
  return id === "main" ? "/ws" : `/ws/${id}`;
}

new Page().start();
