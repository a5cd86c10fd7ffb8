// Asks the bot about its conversations. What goes wrong is thrown as the sentence it was answered with.

/** All conversations, what was last used first. */
export async function listConversations() {
  const { conversations } = await (await ask("GET", "/conversations")).json();
  return conversations;
}

/** The conversations and the lines that hold all of the words. */
export async function search(words) {
  return (await ask("POST", "/search", { words })).json();
}

/** Name a conversation; an empty title takes the name away. */
export async function rename(id, title) {
  await ask("POST", `/conversations/${id}`, { title });
}

/** Delete a conversation, for good. */
export async function remove(id) {
  await ask("DELETE", `/conversations/${id}`);
}

/** Ask for something; return the response, or throw the sentence why not. */
export async function ask(method, path, body) {
  const headers = { "Content-Type": "application/json", "X-Stonechat": "1" };
  let response;
  try {
    response = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  } catch {
    throw new Error("Stonechat does not answer. Try again in a moment.");
  }
  if (!response.ok) {
    throw new Error(await reason(response));
  }
  return response;
}

// A sentence is plain text; a proxy in between answers with a page, and a fault with no sentence.
async function reason(response) {
  const plain = response.headers.get("Content-Type")?.startsWith("text/plain");
  return plain && response.status !== 500
    ? response.text()
    : `That went wrong (${response.status}). Stonechat's log may say why.`;
}
