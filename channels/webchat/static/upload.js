// Sends one file to the bot, and says how far it is. A bot that is away is waited for.

const firstWait = 1000;
const longestWait = 15000;
const longestName = 300; // characters; the bot shortens it further (bot/media/names.py)

/** One file on its way. `onProgress(share)`, `onWaiting()`, then `onDone(file)` or `onRefused(sentence)`. */
export class Upload {
  constructor({ path, file, onProgress, onWaiting, onDone, onRefused }) {
    Object.assign(this, { path, file, onProgress, onWaiting, onDone, onRefused });
    this.failures = 0;
    this.send();
  }

  /** Send no more of it. */
  cancel() {
    clearTimeout(this.timer);
    this.request.onloadend = null;
    this.request.abort();
  }

  // Only XMLHttpRequest tells how far a body is.
  send() {
    const request = new XMLHttpRequest();
    this.request = request;
    request.open("POST", this.path);
    request.setRequestHeader("X-Stonechat", "1");
    request.setRequestHeader("X-File-Name", encodeURIComponent(lastPart(this.file.name).toWellFormed()));
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.onprogress = ({ loaded, total }) => this.onProgress(total ? loaded / total : 0);
    request.onloadend = () => this.ended(request);
    request.send(this.file);
  }

  ended({ status, responseText }) {
    if (status === 201) {
      this.onDone(JSON.parse(responseText));
    } else if (status === 0 || status === 408 || status >= 500) {
      this.onWaiting(responseText || "Stonechat does not answer; trying again.");
      this.timer = setTimeout(() => this.send(), Math.min(firstWait * 2 ** this.failures, longestWait));
      this.failures += 1;
    } else {
      this.onRefused(responseText);
    }
  }
}

function lastPart(name) {
  return [...name].slice(-longestName).join("");
}
