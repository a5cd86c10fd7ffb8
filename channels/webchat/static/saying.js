// Numbers and states in words, as the settings show them. Nothing here touches the page.

const number = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const providers = { anthropic: "Anthropic", openai: "OpenAI or a server like it", demo: "Demo", ollama: "Ollama" };
const servers = { ollama: "Ollama", lmstudio: "LM Studio", llamacpp: "llama.cpp" };

export const providerName = (provider) => providers[provider] ?? provider;
export const serverName = (kind) => servers[kind] ?? kind;

/** Micro-dollars as one reads them: no more figures than mean something. */
export function dollars(micro) {
  if (micro > 0 && micro < 10_000) {
    return "less than $0.01";
  }
  return `$${(micro / 1_000_000).toFixed(2)}`;
}

/** A context window, such as "200k window"; nothing where it is not known. */
export function windowSize(tokens) {
  return tokens ? `${short.format(tokens).replace("K", "k")} window` : "";
}

/** What a model that was just checked is and costs, and what else to know of it. */
export function checked({ model, window, micro_usd_a_day: micro, note }) {
  const facts = [model, windowSize(window), aDay(micro)].filter(Boolean).join(" · ");
  return [`${facts}. It answers from now on.`, note];
}

function aDay(micro) {
  if (micro === null) {
    return "what a day costs is not known";
  }
  return micro === 0 ? "costs nothing" : `a day costs about ${dollars(micro)}`;
}

/** What was used so far. */
export function used({ turns, input_tokens: read, output_tokens: written, micro_usd: micro, unpriced_tokens: unpriced }) {
  if (!turns && !read && !written) {
    return "Nothing yet.";
  }
  const known = micro === 0 && !unpriced ? "it cost nothing" : micro === 0 ? "" : dollars(micro);
  return [
    turns === 1 ? "1 turn" : `${number.format(turns)} turns`,
    `${number.format(read)} tokens read`,
    `${number.format(written)} written`,
    known,
    unpriced ? `${number.format(unpriced)} tokens at a price that is not known` : "",
  ].filter(Boolean).join(" · ");
}
