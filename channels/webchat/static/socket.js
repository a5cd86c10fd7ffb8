// The WebSocket, opened again for as long as the page is: a bot that was away is met again.

const firstWait = 400;
const longestWait = 15000;
const pingEvery = 15000;
const deadAfter = 35000; // two pings without any frame
const wrongProtocol = 4406; // channels/webchat/connection.py

export class Socket {
  constructor({ path, onOpen, onFrame, onWaiting, isLoggedIn, onLocked }) {
    Object.assign(this, { path, onOpen, onFrame, onWaiting, isLoggedIn, onLocked });
    this.failures = 0;
    this.closed = false;
    this.listening = new AbortController();
    const { signal } = this.listening;
    window.addEventListener("online", () => this.connectNow(), { signal });
    document.addEventListener("visibilitychange", () => !document.hidden && this.connectNow(), { signal });
    this.watching = setInterval(() => this.watch(), pingEvery);
  }

  /** Leave the present connection, and connect to another conversation. */
  goTo(path) {
    const left = this.socket;
    this.path = path;
    this.socket = null;
    this.failures = 0;
    left?.close();
    this.connectNow();
  }

  /** Connect, unless there is a connection. */
  connectNow() {
    if (this.closed || this.socket) {
      return;
    }
    clearTimeout(this.timer);
    let opened = false;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}${this.path}`);
    this.socket = socket;
    socket.addEventListener("open", () => {
      if (this.socket !== socket) {
        return;
      }
      opened = true;
      this.heardAt = Date.now();
      this.onOpen();
    });
    socket.addEventListener("message", (event) => {
      if (this.socket !== socket) {
        return;
      }
      this.failures = 0;
      this.heardAt = Date.now();
      this.onFrame(JSON.parse(event.data));
    });
    socket.addEventListener("close", (event) => {
      if (this.socket === socket) {
        this.lost(opened, event.code);
      }
    });
  }

  /** Send a frame; what is lost with the connection is repeated on the next by whoever minds. */
  send(frame) {
    if (this.socket?.readyState === WebSocket.OPEN) {
      this.socket.send(JSON.stringify(frame));
    }
  }

  /** Connect no more. */
  close() {
    this.closed = true;
    this.listening.abort();
    clearInterval(this.watching);
    clearTimeout(this.timer);
    this.socket?.close();
  }

  async lost(opened, code) {
    this.socket = null;
    if (this.closed) {
      return;
    }
    if (code === wrongProtocol && !sessionStorage.getItem("stonechat.reloaded")) {
      sessionStorage.setItem("stonechat.reloaded", "yes");
      location.reload();
      return;
    }
    this.waitAndConnect();
    if (!opened) {
      // A refused upgrade looks like a dead bot from here; ask which it was.
      const answer = await this.isLoggedIn().catch(() => true);
      if (answer !== true) {
        this.close();
        this.onLocked(answer);
      }
    }
  }

  waitAndConnect() {
    const longest = Math.min(firstWait * 2 ** this.failures, longestWait);
    const wait = longest * (0.75 + Math.random() / 4);
    this.failures += 1;
    this.onWaiting(wait);
    this.timer = setTimeout(() => this.connectNow(), wait);
  }

  watch() {
    if (this.socket?.readyState !== WebSocket.OPEN) {
      return;
    }
    if (Date.now() - this.heardAt > deadAfter) {
      const dead = this.socket;
      this.lost(true, 0);
      dead.close();
    } else {
      this.send({ type: "ping" });
    }
  }
}
