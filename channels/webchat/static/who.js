// Who is signed in: shown to whoever is not the owner, and noticed when it is somebody else than before.

const key = "stonechat.who";
const ours = "stonechat.";

const hints = {
  guest: "Ask me anything. I have no files and no tools for you here.",
  member: "I can read the files that are shared here. Try one of these:",
};

// Who this tab is for. Another tab may have been opened for somebody else since.
let opened = null;

/** Whether another person used this browser or this tab before. What they had not sent is not sent for this one. */
export function isSomebodyElse({ name, rank }, storage = window.localStorage) {
  const who = name ?? rank ?? "";
  const wasOpened = opened !== null && opened !== who;
  opened = who;
  try {
    const before = storage.getItem(key);
    const other = wasOpened || (before !== null && before !== who);
    if (other) {
      Object.keys(storage).filter((each) => each.startsWith(ours)).forEach((each) => storage.removeItem(each));
    }
    storage.setItem(key, who);
    return other;
  } catch {
    return wasOpened; // Storage is forbidden: nothing else was kept that could be sent.
  }
}

/** Show the name and the rank, and what may be tried with it. */
export function showWho({ name, rank }) {
  const who = document.getElementById("who");
  who.textContent = name ? `${name}, ${rank}` : "";
  who.hidden = !name;
  const hint = hints[rank];
  if (hint) {
    document.querySelector("#empty .hint").textContent = hint;
    document.querySelectorAll("#empty .needs-files").forEach((each) => (each.hidden = rank === "guest"));
  }
}
