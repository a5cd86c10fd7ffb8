// The conversations beside the thread, or over it on a narrow screen: listed, searched, chosen.

import { make } from "./make.js";
import { Naming } from "./naming.js";
import { listConversations, search } from "./shelf.js";

const element = (id) => document.getElementById(id);
const searchAfter = 180; // milliseconds without a key
const reloadAfter = 250; // milliseconds; several reasons at once are one
const steps = { ArrowDown: 1, ArrowUp: -1 };

export class Sidebar {
  constructor({ onOpen, onNew, onList, onDeleted, onLeave }) {
    Object.assign(this, { onOpen, onNew, onList, onLeave });
    this.panel = element("sidebar");
    this.field = element("search");
    this.list = element("conversations");
    this.found = element("found");
    this.told = element("search-told");
    this.rows = [];
    this.wide = window.matchMedia("(min-width: 60rem)");
    this.naming = new Naming({
      onRenamed: (id) => this.reload().then(() => this.focusRow(id)),
      onDeleted: (id) => {
        this.rows = this.rows.filter((row) => row.id !== id);
        onDeleted(id, this.rows[0]?.id ?? "main");
        this.reload().then(() => this.focusRow(this.current));
      },
    });
    this.listen();
  }

  listen() {
    element("new").addEventListener("click", () => this.begin());
    element("menu").addEventListener("click", () => this.openDrawer());
    element("close").addEventListener("click", () => this.closeDrawer());
    element("shade").addEventListener("click", () => this.closeDrawer());
    this.wide.addEventListener("change", () => this.closeDrawer());
    this.field.addEventListener("input", () => this.searchSoon());
    this.panel.addEventListener("click", (event) => this.clicked(event));
    this.panel.addEventListener("keydown", (event) => this.pressed(event));
    document.addEventListener("keydown", (event) => {
      if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey) {
        event.preventDefault();
        this.focusSearch();
      }
    });
    document.addEventListener("visibilitychange", () => !document.hidden && this.reloadSoon());
  }

  /** Say which conversation is on the screen. */
  setCurrent(id) {
    this.current = id;
    this.paint();
  }

  /** Ask for the list again, soon. */
  reloadSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.reload(), reloadAfter);
  }

  async reload() {
    clearTimeout(this.timer);
    try {
      this.rows = await listConversations();
    } catch {
      return; // the banner says already that nobody answers
    }
    this.paint();
    this.onList(this.rows);
  }

  begin() {
    this.closeDrawer();
    this.endSearch();
    this.onNew();
  }

  // One that nobody said anything in is in no list; while it is on the screen it stands on top.
  paint() {
    const known = this.rows.some(({ id }) => id === this.current);
    const fresh = known || !this.current ? [] : [{ id: this.current, title: "New conversation" }];
    const focused = this.list.contains(document.activeElement) && document.activeElement;
    this.list.replaceChildren(...[...fresh, ...this.rows].map((row) => this.row(row)));
    if (focused) {
      const { id } = focused.closest("[data-id]").dataset;
      this.list.querySelector(`[data-id="${id}"] ${focused.localName}`)?.focus();
    }
  }

  row({ id, title, at }) {
    const item = element("row").content.firstElementChild.cloneNode(true);
    const [link, more] = [item.querySelector(".open"), item.querySelector(".more")];
    item.dataset.id = id;
    link.href = pathOf(id);
    link.title = title;
    link.querySelector(".title").textContent = title;
    if (id === this.current) {
      link.setAttribute("aria-current", "page");
    }
    if (at) {
      link.append(moment(at));
      more.setAttribute("aria-label", `Rename or delete: ${title}`);
    } else {
      more.remove();
    }
    return item;
  }

  // A link opens here, unless somebody wants it in a tab of its own.
  clicked(event) {
    const link = event.target.closest("a");
    const more = event.target.closest(".more");
    if (more) {
      this.naming.askForName(this.rowOf(more));
    } else if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      this.closeDrawer();
      this.onOpen(link.closest("[data-id]").dataset.id, link.dataset.seq);
    }
  }

  pressed(event) {
    const { key, target } = event;
    const row = this.list.contains(target) && this.rowOf(target);
    if (key in steps) {
      this.step(event, steps[key]);
    } else if (key === "Escape") {
      event.preventDefault();
      this.leave();
    } else if (row && (key === "F2" || key === "Delete")) {
      event.preventDefault();
      key === "F2" ? this.naming.askForName(row) : this.naming.askToDelete(row);
    }
  }

  step(event, by) {
    const stops = [this.field, ...this.panel.querySelectorAll("a")].filter((stop) => stop.offsetParent);
    const at = stops.indexOf(event.target.closest("li")?.querySelector("a") ?? event.target);
    const next = at < 0 ? null : stops[at + by];
    if (next) {
      event.preventDefault();
      next.focus();
    }
  }

  leave() {
    if (this.field.value) {
      this.endSearch();
      this.field.focus();
    } else if (this.isOpen) {
      this.closeDrawer();
      element("menu").focus();
    } else {
      this.onLeave();
    }
  }

  rowOf(inside) {
    const { id } = inside.closest("[data-id]").dataset;
    return this.rows.find((row) => row.id === id);
  }

  focusRow(id) {
    this.list.querySelector(`[data-id="${id}"] .open`)?.focus();
  }

  focusSearch() {
    this.openDrawer();
    this.field.focus();
    this.field.select();
  }

  searchSoon() {
    clearTimeout(this.searchTimer);
    this.searchTimer = setTimeout(() => this.search(), searchAfter);
  }

  async search() {
    const words = this.field.value.trim();
    if (!words) {
      this.endSearch();
      return;
    }
    let result;
    try {
      result = await search(words);
    } catch (error) {
      result = { conversations: [], lines: [], trouble: error.message };
    }
    if (words === this.field.value.trim()) {
      this.showFound(words.split(/\s+/), result);
    }
  }

  showFound(words, { conversations, lines, trouble }) {
    const titles = new Map(this.rows.map(({ id, title }) => [id, title]));
    const count = conversations.length + lines.length;
    this.told.textContent = trouble ?? (count ? `${count} found` : "Nothing was found.");
    this.found.replaceChildren(
      ...conversations.map(({ id, title, at }) => hit({ id, title, at }, [], words)),
      ...lines.map(({ conversation: id, seq, at, text, direction }) => {
        const who = direction === "heard" ? "You: " : "";
        return hit({ id, seq, at, title: titles.get(id) ?? "" }, [who, text], words);
      }),
    );
    this.showSearch(true);
  }

  endSearch() {
    clearTimeout(this.searchTimer);
    this.field.value = "";
    this.found.replaceChildren();
    this.showSearch(false);
  }

  showSearch(shown) {
    this.list.hidden = shown;
    this.found.hidden = !shown;
    this.told.hidden = !shown;
  }

  get isOpen() {
    return document.body.classList.contains("with-drawer");
  }

  openDrawer() {
    if (!this.wide.matches) {
      document.body.classList.add("with-drawer");
      element("menu").setAttribute("aria-expanded", "true");
      element("page").inert = true;
      element("close").focus();
    }
  }

  closeDrawer() {
    document.body.classList.remove("with-drawer");
    element("menu").setAttribute("aria-expanded", "false");
    element("page").inert = false;
  }
}

/** The page's address of a conversation, and below it the socket's. */
export function pathOf(id) {
  return id === "main" ? "/" : `/c/${id}`;
}

function hit({ id, seq, at, title }, text, words) {
  const link = make("a", { href: pathOf(id) }, make("span", { className: "title" }, ...marked(title, words)), moment(at));
  if (text.length) {
    link.append(make("span", { className: "text" }, text[0], ...marked(text[1], words)));
    link.dataset.seq = seq;
  }
  const item = make("li", { className: "row" }, link);
  item.dataset.id = id;
  return item;
}

// The words stand between the parts of a split by a pattern with one group.
function marked(text, words) {
  const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  const parts = text.split(new RegExp(`(${pattern})`, "giu"));
  return parts.map((part, index) => (index % 2 ? make("mark", {}, part) : part));
}

function moment(at) {
  const [then, now] = [new Date(at), new Date()];
  const year = then.getFullYear() === now.getFullYear() ? undefined : "numeric";
  const text =
    then.toDateString() === now.toDateString()
      ? then.toLocaleTimeString([], { timeStyle: "short" })
      : then.toLocaleDateString([], { day: "numeric", month: "short", year });
  return make("time", { dateTime: at, title: then.toLocaleString() }, text);
}
