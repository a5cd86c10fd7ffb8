// The two dialogs about one conversation: its name, and whether to delete it.

import { remove, rename } from "./shelf.js";

const element = (id) => document.getElementById(id);

export class Naming {
  constructor({ onRenamed, onDeleted }) {
    Object.assign(this, { onRenamed, onDeleted });
    this.renaming = element("renaming");
    this.deleting = element("deleting");
    this.field = element("title-field");
    for (const dialog of [this.renaming, this.deleting]) {
      dialog.querySelector(".cancel").addEventListener("click", () => dialog.close());
      dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    }
    element("delete").addEventListener("click", () => {
      this.renaming.close();
      this.askToDelete(this.row);
    });
    carryOut(this.renaming, async () => {
      await rename(this.row.id, this.field.value.trim());
      this.onRenamed(this.row.id);
    });
    carryOut(this.deleting, async () => {
      await remove(this.row.id);
      this.onDeleted(this.row.id);
    });
  }

  /** Let a person change the name of a conversation, or go on to delete it. */
  askForName(row) {
    this.row = row;
    this.field.value = row.named ? row.title : "";
    this.field.placeholder = row.title;
    open(this.renaming);
    this.field.select();
  }

  /** Ask whether a conversation is to be deleted. */
  askToDelete(row) {
    this.row = row;
    element("deleting-title").textContent = `Delete “${row.title}”?`;
    open(this.deleting);
  }
}

function open(dialog) {
  dialog.querySelector(".trouble").textContent = "";
  dialog.showModal();
}

// The dialog stays open, with the sentence why, until it is done.
function carryOut(dialog, change) {
  const form = dialog.querySelector("form");
  const button = form.querySelector("[type=submit]");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      await change();
      dialog.close();
    } catch (error) {
      dialog.querySelector(".trouble").textContent = error.message;
    } finally {
      button.disabled = false;
    }
  });
}
