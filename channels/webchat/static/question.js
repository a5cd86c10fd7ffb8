// A question that a person has to decide: its buttons while it is open, and then who decided what.

import { make } from "./make.js";

const longestWait = 3000; // milliseconds; a press that was not its presser's to make changes nothing

export class Questions {
  constructor(onPress) {
    this.onPress = onPress;
    this.cards = new Map();
  }

  /** Make what stands below a question's words. */
  card({ question, choices }) {
    const state = make("p", { className: "standing", tabIndex: -1 });
    state.setAttribute("role", "status");
    const buttons = make("div", { className: "answers" }, ...(choices ?? []).map((one) => this.button(one)));
    buttons.setAttribute("role", "group");
    buttons.setAttribute("aria-label", `Decide about ${question.code}`);
    const card = make("div", { className: "decision" }, buttons, state);
    this.cards.set(question.code, card);
    this.show({ question });
    return card;
  }

  /** Show how a question stands now. */
  show({ question }) {
    const card = this.cards.get(question.code);
    if (!card) {
      return;
    }
    const [buttons, state] = card.children;
    const isOpen = question.state === "asked";
    const hadFocus = buttons.contains(document.activeElement);
    card.dataset.state = question.state;
    buttons.hidden = !isOpen;
    buttons.ariaBusy = "false";
    state.textContent = sentence(question);
    if (!isOpen && hadFocus) {
      state.focus({ preventScroll: true });
    }
  }

  clear() {
    this.cards.clear();
  }

  button({ label, value }) {
    const button = make("button", { type: "button" }, label);
    button.addEventListener("click", () => {
      const buttons = button.parentElement;
      if (buttons.ariaBusy !== "true") {
        buttons.ariaBusy = "true";
        setTimeout(() => {
          buttons.ariaBusy = "false";
        }, longestWait);
        this.onPress(value);
      }
    });
    return button;
  }
}

function sentence({ state, by, decision, until }) {
  const who = by === "owner" || by?.endsWith(":owner") ? "the owner" : by;
  switch (state) {
    case "asked":
      return until ? `Open until ${new Date(until).toLocaleTimeString([], { timeStyle: "short" })}.` : "Open.";
    case "approved":
    case "carried_out":
      return `Approved by ${who}, ${decision === "always" ? "from now on" : "this once"}.`;
    case "refused":
      return `Refused by ${who}.`;
    case "expired":
      return "Nobody decided in time, so it was not done.";
    default:
      return "It is no longer asked.";
  }
}
