// The rows of the settings, each made from one part of what the bot tells.

import { copyButton, make } from "./make.js";
import { providerName, windowSize } from "./saying.js";

const weights = { broken: "Broken", warning: "Careful", hint: "Hint" };

/** What is wrong, and what to do about it. */
export function findingRow({ weight, what, fix }) {
  const row = make("li", { className: `card is-${weight}` });
  row.append(make("p", {}, make("strong", { className: "weight" }, weights[weight] ?? weight), " ", what));
  if (fix) {
    const words = make("code", {}, fix);
    const copy = copyButton(words);
    copy.className = "small";
    copy.setAttribute("aria-label", `Copy the fix: ${fix}`);
    row.append(make("div", { className: "fix" }, words, copy));
  }
  return row;
}

/** One model, with where it was named. */
export function modelRow({ provider, model, source, window }) {
  const facts = [providerName(provider), windowSize(window), source].filter(Boolean).join(" · ");
  return make("li", {}, make("strong", {}, model), " ", make("span", { className: "soft" }, facts));
}

/** One door to a platform. */
export function channelRow({ channel, detail, listening }) {
  const words = make("span", {}, make("strong", {}, channel), " ", make("span", { className: "soft" }, detail));
  return make("li", { className: "with-lamp" }, lamp(listening), words);
}

/** One cap: its name in the settings, and its value. */
export function limitRow({ setting, value }) {
  return [make("dt", {}, make("code", {}, setting)), make("dd", {}, value)];
}

/** A light, with its word for whoever does not see colours. */
export function lamp(on) {
  return make("span", { className: on ? "lamp on" : "lamp" }, make("span", { className: "unseen" }, on ? "Works: " : "Does not work: "));
}
