// Files that are dragged over the page: where they may be let go, and what they are then.

export class DropZone {
  constructor({ sheet, onFiles, onFolder }) {
    Object.assign(this, { sheet, onFiles, onFolder });
    this.depth = 0;
    window.addEventListener("dragenter", (event) => this.entered(event));
    window.addEventListener("dragover", (event) => this.isWelcome(event) && event.preventDefault());
    window.addEventListener("dragleave", () => this.left());
    window.addEventListener("drop", (event) => this.dropped(event));
  }

  isWelcome({ dataTransfer }) {
    const isBusy = document.querySelector("dialog[open]") || document.body.classList.contains("is-locked");
    return !isBusy && dataTransfer?.types.includes("Files");
  }

  // Every element on the way tells of coming and going; what counts is the window.
  entered(event) {
    if (this.isWelcome(event)) {
      event.preventDefault();
      this.depth += 1;
      this.sheet.hidden = false;
    }
  }

  left() {
    this.depth = Math.max(0, this.depth - 1);
    this.sheet.hidden = !this.depth;
  }

  dropped(event) {
    this.depth = 0;
    this.sheet.hidden = true;
    if (!this.isWelcome(event)) {
      return;
    }
    event.preventDefault();
    const items = [...event.dataTransfer.items].filter(({ kind }) => kind === "file");
    const isFolder = (item) => item.webkitGetAsEntry?.()?.isDirectory;
    const files = items.filter((item) => !isFolder(item)).map((item) => item.getAsFile());
    this.onFiles(files.filter(Boolean));
    if (items.some(isFolder)) {
      this.onFolder();
    }
  }
}
