// What was said before the lines on the screen: fetched when somebody scrolls up, asks or searches.

export class Earlier {
  constructor({ place, thread }) {
    Object.assign(this, { place, thread });
    this.button = place.querySelector("button");
    this.button.addEventListener("click", () => this.load());
    new IntersectionObserver(([{ isIntersecting }]) => isIntersecting && !this.failed && this.load()).observe(place);
  }

  /** Another conversation is on the screen. */
  open(conversation) {
    this.conversation = conversation;
    this.loading = null;
    this.show(false);
  }

  /** Say whether there is more. */
  show(isMore) {
    this.failed = false;
    this.button.textContent = "Show earlier messages";
    const hadFocus = document.activeElement === this.button;
    this.place.hidden = !isMore;
    if (!isMore && hadFocus) {
      this.thread.focusFirst();
    }
  }

  /** Fetch the lines before the first one, once at a time; return whether there were any. */
  load() {
    this.loading ??= this.fetch().finally(() => {
      this.loading = null;
    });
    return this.loading;
  }

  /** Fetch until a line is on the screen, or there is no more. */
  async reach(seq) {
    const { conversation } = this;
    while (!this.place.hidden && this.thread.firstSeq > seq && conversation === this.conversation) {
      if (!(await this.load())) {
        return;
      }
    }
  }

  async fetch() {
    const { conversation, thread } = this;
    const { firstSeq } = thread;
    if (this.place.hidden || !firstSeq) {
      return false;
    }
    this.button.textContent = "Fetching earlier messages…";
    const answer = await fetch(`/conversations/${conversation}/before/${firstSeq}`).catch(() => null);
    const found = answer?.ok ? await answer.json().catch(() => null) : null;
    if (conversation !== this.conversation || firstSeq !== thread.firstSeq) {
      return false;
    }
    if (!found) {
      this.failed = true;
      this.button.textContent = "Earlier messages could not be fetched. Try again";
      return false;
    }
    thread.showEarlier(found.lines);
    this.show(found.earlier);
    return true;
  }
}
