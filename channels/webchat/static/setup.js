// Asks the bot how it is set up, and changes that. A key goes into a request's body and nowhere else.

import { ask } from "./shelf.js";

/** Everything the panel shows. */
export const overview = () => json("GET", "/setup");

/** Check a key, and use it from now on. */
export const useKey = (wish) => json("POST", "/setup/key", wish);

/** The model servers that answer on the bot's machine. */
export const findLocal = async () => (await json("GET", "/setup/local")).servers;

/** Use a model of one of them from now on. */
export const useLocal = (wish) => json("POST", "/setup/local", wish);

/** Check a platform's token, and keep it. */
export const addChannel = (wish) => json("POST", "/setup/channel", wish);

async function json(method, path, wish) {
  return (await ask(method, path, wish)).json();
}
