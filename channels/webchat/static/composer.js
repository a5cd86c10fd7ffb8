// Where one writes: Enter sends, Shift+Enter breaks the line, Esc stops what runs.

import { Suggestions } from "./suggestions.js";

const draftKey = (conversation) =>
  conversation === "main" ? "stonechat.draft" : `stonechat.draft.${conversation}`;

export class Composer {
  constructor({ form, field, editing, sendButton, stopButton, storage, files, onSend, onStop, onEditLast }) {
    Object.assign(this, { form, field, editing, sendButton, stopButton, storage, files, onSend, onStop, onEditLast });
    this.hasKeyboard = window.matchMedia("(pointer: fine)");
    this.suggestions = new Suggestions({
      form,
      field,
      list: form.querySelector("#suggestions"),
      told: form.querySelector("#suggestions-told"),
      onChosen: () => this.changed(),
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    form.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.replaces && !event.isComposing && event.keyCode !== 229) {
        event.preventDefault();
        this.endEdit();
      }
    });
    field.addEventListener("input", () => this.changed());
    field.addEventListener("paste", (event) => this.pasted(event));
    field.addEventListener("keydown", (event) => this.pressed(event));
    stopButton.addEventListener("click", () => onStop());
    editing.querySelector("button").addEventListener("click", () => this.endEdit());
    document.addEventListener("keydown", (event) => {
      const elsewhere = event.defaultPrevented || event.target.closest?.("dialog");
      if (event.key === "Escape" && !event.isComposing && !elsewhere && !stopButton.hidden) {
        onStop();
      }
    });
  }

  /** Write in another conversation, where one left off. */
  open(conversation) {
    this.replaces = undefined;
    this.editing.hidden = true;
    this.key = draftKey(conversation);
    this.field.value = stored(this.storage, this.key);
    this.files.open(conversation);
    this.changed();
  }

  /** Forget the draft of a conversation that is gone. */
  dropDraft(conversation) {
    this.storage.removeItem(draftKey(conversation));
    this.files.dropDraft(conversation);
  }

  focus() {
    if (this.hasKeyboard.matches) {
      this.field.focus();
    }
  }

  /** Put a message back to be edited, before what is written already. */
  fill({ text, attachments }) {
    this.files.put([...(attachments ?? []), ...this.files.attached]);
    this.field.value = [text, this.field.value].filter(Boolean).join("\n");
    this.changed();
    this.field.focus();
  }

  /** Write a message anew; what was being written comes back afterwards. */
  edit({ id, text, attachments }) {
    this.replaces = id;
    this.files.edit(attachments ?? []);
    this.editing.hidden = false;
    this.field.value = text;
    this.changed();
    this.field.focus();
  }

  endEdit() {
    this.replaces = undefined;
    this.editing.hidden = true;
    this.files.endEdit();
    this.field.value = stored(this.storage, this.key);
    this.changed();
    this.field.focus();
  }

  setRunning(running) {
    const hadFocus = document.activeElement === this.stopButton;
    this.stopButton.hidden = !running;
    if (!running && hadFocus) {
      this.field.focus();
    }
  }

  submit() {
    if (!this.isReady) {
      return;
    }
    const text = this.field.value.trim() ? this.field.value : "";
    const { replaces } = this;
    const { attached } = this.files;
    this.suggestions.close();
    if (replaces) {
      this.endEdit();
    } else {
      this.field.value = "";
      this.files.clear();
      this.changed();
      this.field.focus();
    }
    this.onSend(text, attached, replaces);
  }

  // While an input method composes, Enter chooses a word: Safari says so only by the key code 229.
  pressed(event) {
    const composing = event.isComposing || event.keyCode === 229;
    if (event.key === "Enter" && !event.shiftKey && !composing && this.hasKeyboard.matches) {
      event.preventDefault();
      this.submit();
    } else if (event.key === "ArrowUp" && !this.field.value) {
      event.preventDefault();
      this.onEditLast();
    }
  }

  /** Whether there is something to send, and all of it is here. */
  get isReady() {
    return !this.files.isBusy && Boolean(this.field.value.trim() || !this.files.isEmpty);
  }

  // What a word processor copies is a text and its picture: the text is meant.
  pasted(event) {
    const { files, types } = event.clipboardData;
    if (files.length && !types.includes("text/plain")) {
      event.preventDefault();
      this.files.add([...files]);
    }
  }

  setReady() {
    this.sendButton.disabled = !this.isReady;
    this.sendButton.title = this.files.isBusy ? "A file is still on its way" : "Send (Enter)";
  }

  changed() {
    this.setReady();
    this.field.style.height = "auto";
    this.field.style.height = `${this.field.scrollHeight}px`;
    if (!this.replaces) {
      this.keepDraft();
    }
  }

  keepDraft() {
    try {
      if (this.field.value) {
        this.storage.setItem(this.key, this.field.value);
      } else {
        this.storage.removeItem(this.key);
      }
    } catch {
      // A draft that cannot be kept is not worth a word.
    }
  }
}

function stored(storage, key) {
  try {
    return storage.getItem(key) ?? "";
  } catch {
    return "";
  }
}
