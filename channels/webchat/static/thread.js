// The conversation on the screen: lines for good, messages on their way, turns that run.

import { attachedList } from "./attached.js";
import { LiveTurn } from "./live.js";
import { dressCode, make, who } from "./make.js";
import { Questions } from "./question.js";
import { recordedSteps } from "./steps.js";

const nearBottom = 120; // pixels; closer than this, the page keeps up with what comes

export class Thread {
  constructor({ lines, waiting, live, empty, latest, progress, again, onRunning, onEdit, onPress, onUnread }) {
    Object.assign(this, { lines, waiting, live, empty, latest, progress, again, onRunning, onEdit, onUnread });
    this.questions = new Questions(onPress);
    this.turns = new Map();
    this.ended = new Set();
    this.replaced = new Set();
    this.stepped = new Set();
    this.unread = 0;
    this.sticky = true;
    window.addEventListener("scroll", () => this.scrolled(), { passive: true });
    document.addEventListener("visibilitychange", () => this.countUnread(0));
    latest.addEventListener("click", () => this.toBottom());
    new ResizeObserver(() => this.keepUp()).observe(lines.closest("main"));
  }

  /** Make room for another conversation; its lines come without being read out one by one. */
  clear(conversation) {
    this.conversation = conversation;
    this.turns.clear();
    this.ended.clear();
    this.unread = 0;
    this.sticky = true;
    this.lines.parentElement.ariaBusy = "true";
    this.wipe();
  }

  /** The conversation was deleted: what still runs of it is nobody's business any more. */
  forget() {
    for (const id of this.turns.keys()) {
      this.ended.add(id);
    }
    this.turns.clear();
    this.wipe();
  }

  wipe() {
    for (const list of [this.lines, this.waiting, this.live]) {
      list.replaceChildren();
    }
    this.questions.clear();
    this.replaced.clear();
    this.stepped.clear();
    this.last = null;
    this.empty.hidden = true;
    this.tellRunning();
  }

  /** The number of the first line on the screen. */
  get firstSeq() {
    return Number(this.lines.querySelector("[data-seq]")?.dataset.seq ?? 0);
  }

  focusFirst() {
    const first = this.lines.firstElementChild;
    first.tabIndex = -1;
    first.focus({ preventScroll: true });
  }

  /** Lines from before the first one; what is being read stays where it is. */
  showEarlier(lines) {
    const first = this.lines.firstElementChild;
    const top = first?.getBoundingClientRect().top;
    this.lines.parentElement.ariaBusy = "true";
    this.lines.prepend(...lines.map((line) => this.item(line)));
    this.replaced.forEach((source) => this.fold(source));
    this.lines.parentElement.ariaBusy = "false";
    if (first) {
      window.scrollBy({ top: first.getBoundingClientRect().top - top, behavior: "instant" });
    }
  }

  // What was said anew stands folded where it was: the message, and what was answered to it.
  fold(source) {
    const message = source && this.lines.querySelector(`[data-source="${CSS.escape(source)}"]`);
    if (!message || message.closest("details")) {
      return;
    }
    const replaced = [message];
    while (replaced.at(-1).nextElementSibling?.matches(":not(.heard, .replaced)")) {
      replaced.push(replaced.at(-1).nextElementSibling);
    }
    const before = message.previousElementSibling;
    if (before?.matches(".replaced")) {
      before.querySelector("ol").append(...replaced);
    } else {
      const item = make("li", { className: "replaced" });
      message.before(item);
      const list = make("ol", { className: "lines" }, ...replaced);
      item.append(make("details", {}, make("summary", {}, "Said before, and replaced"), list));
    }
  }

  /** Bring a line into view, and show which it is. */
  showFound(seq) {
    const line = this.lines.querySelector(`[data-seq="${seq}"]`);
    if (line) {
      this.sticky = false;
      line.closest("details:not(.taken)")?.setAttribute("open", "");
      line.tabIndex = -1;
      line.focus({ preventScroll: true });
      line.scrollIntoView({ block: "center", behavior: "instant" });
      line.classList.remove("hit");
      void line.offsetWidth; // so that the same line lights up again
      line.classList.add("hit");
    }
  }

  /** A line, for good. It takes the place of what stood for it until now. */
  showLine(line) {
    this.empty.hidden = true;
    if (line.direction === "heard") {
      this.waiting.querySelector(`[data-id="${CSS.escape(line.source?.slice(2) ?? "")}"]`)?.remove();
      this.lines.append(this.item(line));
      this.fold(line.replaces);
      const { source, text, attachments } = line;
      this.last = source?.startsWith("c:") ? { id: source.slice(2), text, attachments } : null;
    } else {
      const turn = this.turns.get(line.turn);
      this.lines.append(this.item(line, turn?.takeSteps()));
      this.countUnread(document.hidden ? this.unread + 1 : 0);
      if (this.ended.has(line.turn)) {
        this.remove(line.turn);
      } else {
        turn?.clearWords();
      }
    }
    this.tellRunning();
    this.keepUp();
  }

  // The steps of a turn stand above the first of its lines that comes.
  item(line, steps) {
    let item;
    if (line.direction === "heard") {
      item = heard(line, attachedList(this.conversation, line.attachments));
      if (line.replaces) {
        this.replaced.add(line.replaces);
      }
    } else {
      const isFirst = !this.stepped.has(line.turn);
      this.stepped.add(line.turn);
      const recorded = isFirst && line.steps ? recordedSteps(this.conversation, line.turn, line.steps) : null;
      item = said(line, steps ?? recorded);
      if (line.question) {
        item.classList.add("question");
        item.append(this.questions.card(line));
      }
    }
    item.dataset.seq = line.seq;
    item.dataset.source = line.source ?? "";
    return item;
  }

  /** A message that is not accepted yet. */
  showWaiting(message) {
    this.empty.hidden = true;
    const { id, text, at, attachments } = message;
    const files = attachedList(this.conversation, attachments);
    const item = heard({ text, at: new Date(at).toISOString() }, files);
    item.message = message;
    item.dataset.id = id;
    item.classList.add("on-its-way");
    item.append(make("p", { className: "fate", role: "status" }, "Not accepted yet; it will be sent."));
    this.waiting.append(item);
    this.tellRunning();
    this.keepUp();
  }

  /** A turn that is no message: it shows by what it does to others. */
  ignore(turn) {
    this.ended.add(turn);
    this.remove(turn);
    this.tellRunning();
  }

  showAccepted(id) {
    this.waitingItem(id)?.classList.remove("on-its-way", "put-off");
  }

  showPutOff(id, reason) {
    const item = this.waitingItem(id);
    if (item) {
      item.classList.add("put-off");
      item.querySelector(".fate").textContent = `Not accepted yet; it will be sent again. ${reason}`;
      this.keepUp();
    }
  }

  showRefused(id, reason) {
    const item = this.waitingItem(id);
    if (!item) {
      return;
    }
    item.classList.replace("on-its-way", "refused");
    const edit = make("button", { type: "button" }, "Edit it");
    edit.addEventListener("click", () => {
      item.remove();
      this.onEdit(item.message);
    });
    item.querySelector(".fate").replaceChildren(`Not accepted. ${reason} `, edit);
    this.keepUp();
  }

  /** All turns that wait or run; what is not among them has ended. */
  showOpen(turns) {
    const open = new Set(turns.map(({ turn }) => turn));
    for (const id of [...this.turns.keys()].filter((id) => !open.has(id))) {
      this.ended.add(id);
      this.remove(id);
    }
    for (const picture of turns) {
      this.turn(picture.turn)?.repaint(picture);
    }
    this.tellRunning();
    this.keepUp();
  }

  /** What happens to a turn that runs. */
  showNews(frame) {
    if (frame.type === "question") {
      this.questions.show(frame);
    } else if (frame.type === "ended") {
      this.end(frame);
    } else if (frame.type === "status" && frame.state === "joined") {
      this.ended.add(frame.turn);
      this.remove(frame.turn);
    } else if (frame.turn) {
      this.turn(frame.turn)?.take(frame);
    }
    this.tellRunning();
    this.keepUp();
  }

  get isEmpty() {
    return !this.lines.children.length && !this.waiting.children.length;
  }

  /** Everything that was said before is here. */
  settle() {
    this.lines.parentElement.ariaBusy = "false";
    this.empty.hidden = !this.isEmpty;
  }

  toBottom() {
    this.sticky = true;
    window.scrollTo({ top: document.documentElement.scrollHeight });
  }

  // The words stay until the line comes that holds them; without words nothing has to stay.
  end({ turn: id, outcome, reason, text }) {
    const turn = this.turns.get(id);
    this.ended.add(id);
    if (!turn) {
      return;
    }
    if (outcome !== "answered" && !text) {
      this.lines.append(make("li", { className: "quiet" }, reason ? `No answer: ${reason}` : "No answer."));
    }
    if (turn.words && text) {
      turn.settle();
    } else {
      this.remove(id);
    }
  }

  /** The turn's place on the screen, made if need be; none for a turn that has ended. */
  turn(id) {
    if (this.ended.has(id)) {
      return null;
    }
    if (!this.turns.has(id)) {
      const turn = new LiveTurn();
      this.turns.set(id, turn);
      this.live.append(turn.item);
    }
    return this.turns.get(id);
  }

  remove(id) {
    this.turns.get(id)?.item.remove();
    this.turns.delete(id);
  }

  tellRunning() {
    const running = [...this.turns.keys()].some((id) => !this.ended.has(id));
    if (running !== this.running) {
      this.running = running;
      this.progress.textContent = running ? "Stonechat is working." : "";
      this.onRunning(running);
    }
    this.again.hidden = running || !this.last || Boolean(this.waiting.children.length);
  }

  waitingItem(id) {
    return this.waiting.querySelector(`[data-id="${CSS.escape(id)}"]`);
  }

  countUnread(count) {
    this.unread = count;
    this.onUnread(count);
  }

  scrolled() {
    const { scrollHeight } = document.documentElement;
    this.sticky = scrollHeight - window.scrollY - window.innerHeight < nearBottom;
    this.latest.hidden = this.sticky;
  }

  keepUp() {
    if (this.sticky) {
      this.toBottom();
    }
  }
}

function heard({ text, at }, files) {
  const words = text ? [make("p", { className: "text" }, text)] : [];
  return make("li", { className: "heard" }, who("You", at), ...files, ...words);
}

// The HTML was made by the bot's own renderer from a document, every character of it escaped
// (channels/webchat/render.py); the page's policy would run no script in it either.
function said(line, steps) {
  const body = make("div", { className: "body" });
  body.innerHTML = line.html;
  dressCode(body);
  const item = make("li", { className: `said ${line.kind}` }, who("Stonechat", line.at));
  item.append(...(steps ? [steps] : []), body);
  return item;
}
