// The files of the message that is being written: chosen, pasted or dropped, sent at once, kept
// with the draft until it is sent.

import { addressOf, isPicture, sign, sizeOf } from "./attached.js";
import { make } from "./make.js";
import { Upload } from "./upload.js";

const largestFile = 20 * 1024 * 1024; // bytes (bot/contracts/media.py)
const mostFiles = 10;

const draftKey = (conversation) => `stonechat.files.${conversation}`;

export class Files {
  constructor({ list, told, input, button, storage, onChanged }) {
    Object.assign(this, { list, told, input, button, storage, onChanged });
    this.chips = new Set();
    button.addEventListener("click", () => input.click());
    input.addEventListener("change", () => {
      this.add([...input.files]);
      input.value = "";
    });
  }

  /** Whether one of them is still on its way. */
  get isBusy() {
    return [...this.chips].some(({ upload }) => upload);
  }

  get isEmpty() {
    return !this.chips.size;
  }

  /** Those that the bot has, as a message names them. */
  get attached() {
    return [...this.chips].flatMap(({ file, upload }) => (upload ? [] : [file]));
  }

  /** Show what stood with the draft of a conversation. */
  open(conversation) {
    this.conversation = conversation;
    this.put(read(this.storage, conversation));
    for (const chip of this.chips) {
      this.check(chip);
    }
  }

  /** Show these and no others; all of them are sent already. */
  put(files) {
    this.chips.forEach(({ upload }) => upload?.cancel());
    this.chips.clear();
    this.list.replaceChildren();
    this.tell("");
    files.forEach((file) => this.chip(file));
    this.changed();
  }

  /** Forget what stood with the draft of a conversation that is gone. */
  dropDraft(conversation) {
    this.storage.removeItem(draftKey(conversation));
  }

  /** The message is sent, and they with it. */
  clear() {
    this.put([]);
  }

  /** Send files at once; what cannot be sent is said. */
  add(files) {
    this.tell("");
    const refused = [];
    let added = 0;
    for (const file of files) {
      const reason = this.refusal(file);
      if (reason) {
        refused.push(reason);
      } else {
        this.start(file);
        added += 1;
      }
    }
    if (refused.length) {
      this.tell([...new Set(refused)].join(" "), "refused");
    } else if (added) {
      this.announce(added === 1 ? `Attaching ${files[0].name}.` : `Attaching ${added} files.`);
    }
  }

  refusal({ name, size }) {
    if (this.chips.size >= mostFiles) {
      return `A message takes at most ${mostFiles} files.`;
    }
    if (!size) {
      return `${name} is empty.`;
    }
    return size > largestFile ? `${name} has ${sizeOf(size)}; at most 20 MB are taken.` : "";
  }

  start(file) {
    const chip = this.chip({ name: file.name || "file", size: file.size, media_type: file.type });
    const bar = make("progress", { max: 1, value: 0, ariaLabel: `Sending ${chip.file.name}` });
    chip.item.classList.add("coming");
    chip.item.append(bar);
    chip.upload = new Upload({
      path: `/conversations/${this.conversation}/files`,
      file,
      onProgress: (share) => {
        bar.value = share;
        chip.item.classList.remove("held-up");
      },
      onWaiting: (sentence) => {
        chip.item.classList.add("held-up");
        this.tell(sentence);
      },
      onDone: (kept) => {
        chip.upload = null;
        this.replace(chip, kept);
        if (!this.isBusy) {
          const { size: count } = this.chips;
          this.announce(count === 1 ? `${kept.name} is attached.` : `${count} files are attached.`);
        }
        this.changed();
      },
      onRefused: (sentence) => {
        this.drop(chip);
        this.tell(`${chip.file.name}: ${sentence}`, "refused");
        this.changed();
      },
    });
    this.changed();
  }

  chip(file) {
    const chip = { file, upload: null };
    chip.item = this.itemOf(chip);
    this.chips.add(chip);
    this.list.append(chip.item);
    return chip;
  }

  // The place stays, and the focus if it was on the button.
  replace(chip, file) {
    const hadFocus = chip.item.contains(document.activeElement);
    const old = chip.item;
    chip.file = file;
    chip.item = this.itemOf(chip);
    old.replaceWith(chip.item);
    if (hadFocus) {
      chip.item.querySelector("button").focus();
    }
  }

  itemOf(chip) {
    const { file } = chip;
    const picture = file.id && isPicture(file);
    const image = picture && make("img", { src: addressOf(this.conversation, file), alt: "" });
    const remove = make("button", { type: "button", title: "Remove" }, make("span", { className: "unseen" }, `Remove ${file.name}`));
    remove.addEventListener("click", () => this.remove(chip));
    const name = make("span", { className: "name", dir: "auto" }, file.name);
    const size = make("span", { className: "size" }, sizeOf(file.size));
    return make("li", { className: "chip" }, image || sign(file.name), name, size, remove);
  }

  remove(chip) {
    const beside = chip.item.nextElementSibling ?? chip.item.previousElementSibling;
    chip.upload?.cancel();
    this.drop(chip);
    // The bot keeps what a message names, so that this drops only what was never sent.
    (beside?.querySelector("button") ?? this.button).focus();
    if (chip.file.id) {
      fetch(addressOf(this.conversation, chip.file), { method: "DELETE", headers: { "X-Stonechat": "1" } }).catch(() => {});
    }
    this.tell("");
    this.announce(`${chip.file.name} is removed.`);
    this.changed();
  }

  drop(chip) {
    this.chips.delete(chip);
    chip.item.remove();
  }

  // One that waited for longer than the bot keeps it is not there any more.
  async check(chip) {
    const answer = await fetch(addressOf(this.conversation, chip.file)).catch(() => null);
    answer?.body?.cancel();
    if (answer?.status === 404 && this.chips.has(chip)) {
      this.drop(chip);
      this.tell(`${chip.file.name} waited too long; attach it again.`, "refused");
      this.changed();
    }
  }

  tell(sentence, kind = "") {
    this.told.textContent = sentence;
    this.told.className = `files-told ${kind}`;
  }

  // For whoever does not see the chips; what was refused stays said until files are chosen again.
  announce(sentence) {
    if (this.told.classList.contains("refused")) {
      return;
    }
    this.tell(sentence, "unseen");
  }

  changed() {
    this.list.hidden = this.isEmpty;
    if (!this.isSaid) {
      this.keepDraft();
    }
    this.onChanged();
  }

  keepDraft() {
    try {
      if (this.attached.length) {
        this.storage.setItem(draftKey(this.conversation), JSON.stringify(this.attached));
      } else {
        this.storage.removeItem(draftKey(this.conversation));
      }
    } catch {
      // A draft that cannot be kept is not worth a word.
    }
  }

  /** Show the files of a message that was said; the draft's come back with `endEdit`. */
  edit(files) {
    this.isSaid = true;
    this.put(files);
  }

  endEdit() {
    this.isSaid = false;
    this.put(read(this.storage, this.conversation));
  }
}

function read(storage, conversation) {
  try {
    return JSON.parse(storage.getItem(draftKey(conversation)) ?? "[]").filter(({ id }) => typeof id === "string");
  } catch {
    return [];
  }
}
