// Who is signed in: shown to whoever is not the owner, and noticed when it is somebody else than before.

const key = "stonechat.who";
const ours = "stonechat.";

const hints = {
  guest: "Ask me anything. I have no files and no tools for you here.",
  member: "I can read the files that are shared here. Try one of these:",
};

/** Whether another person used this browser before. What they had not sent is not sent for this one. */
export function isSomebodyElse({ name, rank }, storage = window.localStorage) {
  try {
    const who = name ?? rank ?? "";
    const before = storage.getItem(key);
    const other = before !== null && before !== who;
    if (other) {
      Object.keys(storage).filter((each) => each.startsWith(ours)).forEach((each) => storage.removeItem(each));
    }
    storage.setItem(key, who);
    return other;
  } catch {
    return false; // Storage is forbidden: nothing was kept that could be sent.
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
