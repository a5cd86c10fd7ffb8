// The link's code stands in the fragment, which is never sent anywhere; here it becomes a login.

const firstWait = 500;
const longestWait = 8000;

/** Return the code of the link the page was opened with, and take it out of the address bar. */
export function takeCode() {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (location.hash) {
    history.replaceState(null, "", location.pathname);
  }
  return code;
}

/** Exchange the code for a login; return the sentence why not, or null. Waits for a bot that is away. */
export async function logIn(code, onWaiting) {
  for (let wait = firstWait; ; wait = Math.min(wait * 2, longestWait)) {
    try {
      const response = await fetch("/auth", {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Stonechat": "1" },
        body: JSON.stringify({ code }),
      });
      if (response.status !== 503) {
        return response.ok ? null : await response.text();
      }
    } catch {
      // The bot is not there; it may be starting.
    }
    onWaiting(wait);
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

/** Whether this browser is logged in: true, or the sentence why not. Throws if nobody answers. */
export async function isLoggedIn() {
  const response = await fetch("/login");
  if (response.status === 401 || response.status === 429) {
    return response.text();
  }
  return true;
}
