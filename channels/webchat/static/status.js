// What stands around the conversation: its title, the model, what is wrong, who is not signed in.

import { make } from "./make.js";

const quietMilliseconds = 1200; // a connection that is back before this was never missed
const element = (id) => document.getElementById(id);

export class Status {
  constructor({ onRetry }) {
    this.unread = 0;
    element("retry").addEventListener("click", onRetry);
  }

  welcome() {
    clearTimeout(this.offlineTimer);
    element("connection").hidden = true;
  }

  setTitle(title) {
    this.title = title;
    element("title").textContent = title ?? "New conversation";
    this.showTitle();
  }

  setUnread(unread) {
    this.unread = unread;
    this.showTitle();
  }

  showTitle() {
    const unread = this.unread ? `(${this.unread}) ` : "";
    document.title = unread + (this.title ? `${this.title} · Stonechat` : "Stonechat");
  }

  showOffline(milliseconds) {
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
    element("connection").hidden = true;
    element("locked-text").replaceChildren(...withCode(sentence));
    element("locked").hidden = false;
    element("title").textContent = "Stonechat";
    document.body.classList.add("is-locked");
    document.title = "Stonechat: sign in";
  }
}

// What stands between backticks is to be typed.
function withCode(sentence) {
  return sentence.split("`").map((part, index) => (index % 2 ? make("code", {}, part) : part));
}
