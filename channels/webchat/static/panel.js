// The settings: what is wrong, who thinks, what it costs, and the fields that change it.

import { LocalModels } from "./local-models.js";
import { channelRow, findingRow, lamp, limitRow, modelRow } from "./panel-rows.js";
import { checked, used } from "./saying.js";
import { SecretForm } from "./secret-form.js";
import { addChannel, overview, useKey } from "./setup.js";

const element = (id) => document.getElementById(id);
const reloadAfter = 150; // milliseconds; several reasons at once are one
const details = { provider: "key-provider", model: "key-model", base_url: "key-address" };

export class Panel {
  constructor() {
    this.dialog = element("settings");
    this.opener = element("settings-open");
    this.told = element("overview-told");
    this.trouble = element("overview-trouble");
    const onDone = () => this.reloadSoon();
    this.keyForm = new SecretForm({
      form: element("key-form"),
      asking: "Asking the provider…",
      send: async (key) => checked(await useKey({ key, ...detailsTyped() })),
      onDone,
    });
    this.telegram = new SecretForm({
      form: element("telegram-form"),
      asking: "Asking Telegram…",
      send: async (token) => stored(await addChannel({ channel: "telegram", token })),
      onDone,
    });
    this.local = new LocalModels({ root: element("local"), onDone });
    this.listen();
  }

  listen() {
    this.opener.addEventListener("click", () => this.open());
    element("add-key").addEventListener("click", () => this.openAtKey());
    element("settings-close").addEventListener("click", () => this.dialog.close());
    this.trouble.querySelector("button").addEventListener("click", () => this.reload());
    // Only a press that also began beside it closes it: one selects a text and lets go where one is.
    this.dialog.addEventListener("pointerdown", ({ target }) => {
      this.pressedBeside = target === this.dialog;
    });
    this.dialog.addEventListener("click", ({ target }) => {
      target === this.dialog && this.pressedBeside && this.dialog.close();
    });
    this.dialog.addEventListener("close", () => this.forget());
    document.addEventListener("keydown", (event) => {
      const wanted = event.key === "," && (event.ctrlKey || event.metaKey) && !event.altKey;
      if (wanted && !this.opener.hidden) {
        event.preventDefault();
        this.dialog.open ? this.dialog.close() : this.open();
      }
    });
  }

  /** Take over what the bot says of itself: whether this reader may set it up, and must. */
  introduce({ setup }) {
    this.opener.hidden = !setup;
    element("demo").hidden = setup !== "needed";
    if (!setup) {
      this.dialog.close();
    } else if (this.dialog.open) {
      this.reloadSoon();
    }
  }

  async open() {
    if (!document.querySelector("dialog[open]")) {
      this.dialog.showModal();
      this.dialog.querySelector(".panel-body").scrollTop = 0;
      element("settings-title").focus();
      await this.reload();
    }
  }

  // What is found stands above the field, and must not push it out of sight.
  async openAtKey() {
    const opened = this.open();
    this.keyForm.reveal();
    await opened;
    this.keyForm.reveal();
  }

  // What was typed and not taken does not stay behind a closed panel.
  forget() {
    for (const form of [this.keyForm, this.telegram]) {
      form.clear();
      form.progress.forget();
    }
    this.local.forget();
  }

  /** Say that nobody answers; `introduce` comes when somebody does again. */
  showOffline() {
    if (this.dialog.open) {
      this.fail("Stonechat does not answer; it may be restarting. This is looked at again when it does.");
    }
  }

  reloadSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.reload(), reloadAfter);
  }

  async reload() {
    clearTimeout(this.timer);
    const asked = {};
    this.asked = asked;
    this.told.textContent = this.shown ? "" : "Looking how things are…";
    this.trouble.hidden = true;
    try {
      const seen = await overview();
      asked === this.asked && this.paint(seen);
    } catch (error) {
      asked === this.asked && this.fail(error.message);
    }
  }

  fail(sentence) {
    const old = this.shown ? " Below is how it was before." : "";
    this.told.textContent = "";
    this.trouble.hidden = false;
    this.trouble.querySelector("p").textContent = sentence + old;
  }

  paint(seen) {
    this.shown = true;
    this.told.textContent = "";
    this.paintFindings(seen.findings);
    element("models").replaceChildren(...seen.models.map(modelRow));
    element("channels").replaceChildren(...seen.channels.map(channelRow));
    element("spent").textContent = used(seen.spent);
    element("limits").replaceChildren(...seen.limits.flatMap(limitRow));
    element("limits-title").hidden = !seen.limits.length;
    element("sandbox").replaceChildren(lamp(seen.sandbox.works), seen.sandbox.detail);
    element("version").textContent = `Stonechat ${seen.version}`;
  }

  // The worst stands first; its fix can be copied as it is.
  paintFindings(findings) {
    const order = ["broken", "warning", "hint"];
    const sorted = [...findings].sort((one, other) => order.indexOf(one.weight) - order.indexOf(other.weight));
    const section = element("findings");
    section.hidden = false;
    section.querySelector("ul").replaceChildren(...sorted.map(findingRow));
    section.querySelector("ul").hidden = !findings.length;
    section.querySelector(".fine").hidden = Boolean(findings.length);
  }
}

function detailsTyped() {
  const typed = Object.entries(details).map(([name, id]) => [name, element(id).value.trim() || null]);
  return Object.fromEntries(typed);
}

function stored({ identity, note }) {
  return [`This is ${identity}. Its token is stored.`, note];
}
