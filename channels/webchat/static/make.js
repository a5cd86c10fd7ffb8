// Elements made in one line, and the few that occur everywhere.

/** Make an element with properties and children. A string becomes text, never markup. */
export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** Say whose words these are and, if they are said for good, when. */
export function who(name, at) {
  const line = make("p", { className: "who" }, make("span", {}, name));
  if (at) {
    const moment = new Date(at);
    const short = moment.toLocaleTimeString([], { timeStyle: "short" });
    line.append(" ", make("time", { dateTime: at, title: moment.toLocaleString() }, short));
  }
  return line;
}

/** Give every code block its language and a button that copies it. */
export function dressCode(root) {
  for (const block of root.querySelectorAll("pre")) {
    const head = make("div", { className: "code-head" }, block.dataset.language || "text", copyButton(block));
    const frame = make("div", { className: "code" });
    block.replaceWith(frame);
    frame.append(head, block);
    block.tabIndex = 0;
  }
}

/** Make a button that copies the text of an element. */
export function copyButton(block) {
  const copy = make("button", { type: "button" }, "Copy");
  copy.addEventListener("click", async () => {
    copy.textContent = (await copyText(block)) ? "Copied" : "Press Ctrl+C";
    setTimeout(() => {
      copy.textContent = "Copy";
    }, 2000);
  });
  return copy;
}

async function copyText(block) {
  try {
    await navigator.clipboard.writeText(block.textContent);
    return true;
  } catch {
    // Without leave to use the clipboard, the block is at least selected.
    getSelection().selectAllChildren(block);
    return false;
  }
}
