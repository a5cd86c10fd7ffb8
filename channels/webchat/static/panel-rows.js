// The rows of the settings, each made from one part of what the bot tells.

import { copyButton, make } from "./make.js";
import { providerName, windowSize } from "./saying.js";

const weights = { broken: "Broken", warning: "Careful", hint: "Hint" };

/** What is wrong, and what to do about it. */
export function findingRow({ weight, what, fix }) {
  const row = make("li", { className: `card is-${weight}` });
  row.append(make("p", {}, make("strong", { className: "weight" }, `${weights[weight] ?? weight}:`), " ", what));
  if (fix) {
    row.append(make("p", { className: "fix" }, make("strong", {}, "To do:"), " ", ...fixed(fix)));
  }
  return row;
}

// What stands between backticks is to be typed, so it can be copied.
function fixed(fix) {
  return fix.split("`").flatMap((part, index) => {
    if (index % 2 === 0) {
      return part;
    }
    const code = make("code", {}, part);
    const copy = copyButton(code);
    copy.className = "small";
    copy.ariaLabel = `Copy: ${part}`;
    return make("span", { className: "command" }, code, copy);
  });
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
