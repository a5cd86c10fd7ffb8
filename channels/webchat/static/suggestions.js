// The commands that fit what is being typed: a list above the field, for eyes, keys and ears.

export class Suggestions {
  constructor({ form, field, list, told, onChosen }) {
    Object.assign(this, { form, field, list, told, onChosen });
    this.commands = [];
    this.fitting = [];
    this.at = -1;
    field.setAttribute("aria-autocomplete", "list");
    field.setAttribute("aria-controls", list.id);
    field.addEventListener("input", () => this.look());
    field.addEventListener("blur", () => this.close());
    // Before the composer, which would send, edit or stop.
    form.addEventListener("keydown", (event) => this.pressed(event), { capture: true });
    // A press on the list must not take the focus from the field.
    list.addEventListener("pointerdown", (event) => event.preventDefault());
    list.addEventListener("click", (event) => {
      const item = event.target.closest("li");
      if (item) {
        this.choose(Number(item.dataset.at));
      }
    });
  }

  /** Know what there is for whoever is signed in. */
  offer(commands) {
    this.commands = commands ?? [];
    this.look();
  }

  look() {
    const typed = /^\/[^\s/]*$/u.exec(this.field.value)?.[0].slice(1).toLowerCase();
    const fits = (names) => typed !== undefined && names.some((each) => each.startsWith(typed));
    // Those whose own name fits come before those that are also called so.
    const byName = this.commands.filter(({ name }) => fits([name]));
    const byAlias = this.commands.filter((each) => fits(each.aliases) && !byName.includes(each));
    this.fitting = [...byName, ...byAlias];
    this.at = -1;
    this.draw();
  }

  close() {
    this.fitting = [];
    this.at = -1;
    this.draw();
  }

  pressed(event) {
    if (this.list.hidden || event.target !== this.field || event.isComposing || event.keyCode === 229) {
      return;
    }
    const last = this.fitting.length - 1;
    const moves = { ArrowDown: this.at < last ? this.at + 1 : 0, ArrowUp: this.at > 0 ? this.at - 1 : last };
    if (event.key in moves) {
      this.at = moves[event.key];
      this.draw();
    } else if (event.key === "Escape") {
      this.close();
    } else if (event.key === "Tab" && !event.shiftKey) {
      this.choose(Math.max(this.at, 0));
    } else if (event.key === "Enter" && !event.shiftKey && this.at >= 0) {
      this.choose(this.at);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  choose(at) {
    const { name, arguments: rest } = this.fitting[at];
    this.field.value = rest ? `/${name} ` : `/${name}`;
    this.close();
    this.field.focus();
    this.onChosen();
  }

  draw() {
    const isOpen = this.fitting.length > 0;
    this.list.replaceChildren(...this.fitting.map((command, at) => row(command, at, at === this.at)));
    this.list.hidden = !isOpen;
    const active = this.list.querySelector("[aria-selected=true]");
    if (active) {
      this.field.setAttribute("aria-activedescendant", active.id);
      active.scrollIntoView({ block: "nearest" });
    } else {
      this.field.removeAttribute("aria-activedescendant");
    }
    const count = this.fitting.length === 1 ? "1 command" : `${this.fitting.length} commands`;
    const told = isOpen ? `${count}. Arrow keys choose, Tab completes.` : "";
    if (this.told.textContent !== told) {
      this.told.textContent = told;
    }
  }
}

function row({ name, arguments: rest, summary }, at, isActive) {
  const item = document.createElement("li");
  item.id = `command-${at}`;
  item.dataset.at = String(at);
  item.setAttribute("role", "option");
  item.setAttribute("aria-selected", String(isActive));
  const typed = document.createElement("code");
  typed.textContent = `/${name}`;
  const what = document.createElement("span");
  what.textContent = summary;
  item.append(typed, ...(rest ? [` ${rest}`] : []), " ", what);
  return item;
}
