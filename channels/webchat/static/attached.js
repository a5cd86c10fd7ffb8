// Files as they stand in the conversation: a picture as itself, anything else as something to download.

import { make } from "./make.js";

const shown = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
// What the bot gives out to be shown (channels/webchat/file_routes.py).

/** Whether a page may show it by itself. */
export function isPicture({ media_type: kind }) {
  return shown.has(kind);
}

/** The address of a file of a conversation. */
export function addressOf(conversation, { id }) {
  return `/conversations/${conversation}/files/${id}`;
}

/** How large a file is, for people. */
export function sizeOf(bytes) {
  if (bytes < 1000) {
    return `${bytes} B`;
  }
  const [value, unit] = bytes < 1e6 ? [bytes / 1e3, "kB"] : [bytes / 1e6, "MB"];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

/** The sign that stands for a file: the ending of its name, as people know it; without one, that there is a file. */
export function sign(name = "") {
  const ending = /[^.]\.([a-z0-9]{1,4})$/i.exec(name)?.[1] ?? "file";
  return make("span", { className: "sign", ariaHidden: "true" }, ending.toUpperCase());
}

/** The files of one message, or nothing if it has none. */
export function attachedList(conversation, files) {
  if (!files?.length) {
    return [];
  }
  const items = files.map((file) => make("li", {}, isPicture(file) ? picture(conversation, file) : download(conversation, file)));
  return [make("ul", { className: "attached", ariaLabel: "Attached files" }, ...items)];
}

function picture(conversation, file) {
  const href = addressOf(conversation, file);
  const image = make("img", { src: href, alt: file.name, loading: "lazy", decoding: "async" });
  const link = make("a", { className: "picture", href, target: "_blank", rel: "noopener" }, image);
  image.addEventListener("error", () => link.replaceWith(download(conversation, file)));
  return link;
}

function download(conversation, file) {
  const name = make("span", { className: "name", dir: "auto" }, file.name);
  const size = make("span", { className: "size" }, sizeOf(file.size));
  const properties = { className: "file", href: addressOf(conversation, file), download: file.name };
  return make("a", properties, sign(file.name), name, size);
}
