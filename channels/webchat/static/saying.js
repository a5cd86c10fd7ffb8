// Numbers and states in words, as the settings show them. Nothing here touches the page.

const number = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const providers = { anthropic: "Anthropic", openai: "OpenAI or a server like it", demo: "Demo", ollama: "Ollama" };
const servers = { ollama: "Ollama", lmstudio: "LM Studio", llamacpp: "llama.cpp" };

export const providerName = (provider) => providers[provider] ?? provider;
export const serverName = (kind) => servers[kind] ?? kind;

/** Dollars as one reads them: no more figures than mean something. */
export function dollars(usd) {
  if (usd > 0 && usd < 0.01) {
    return "less than $0.01";
  }
  return `$${usd.toFixed(2)}`;
}

/** A context window, such as "200k window"; nothing where it is not known. */
export function windowSize(tokens) {
  return tokens ? `${short.format(tokens).replace("K", "k")} window` : "";
}

/** What a model that was just checked is and costs, and what else to know of it. */
export function checked({ model, window, usd_a_day: usd, note }) {
  const facts = [model, windowSize(window), aDay(usd)].filter(Boolean).join(" · ");
  return [`${facts}. It answers from now on.`, note];
}

function aDay(usd) {
  if (usd === null) {
    return "what a day costs is not known";
  }
  return usd === 0 ? "costs nothing" : `a day costs about ${dollars(usd)}`;
}

/** What was used so far. */
export function used({ turns, input_tokens: read, output_tokens: written, usd }) {
  if (!turns && !read && !written) {
    return "Nothing yet.";
  }
  const money = usd === null ? "what it cost is not known" : usd === 0 ? "it cost nothing" : dollars(usd);
  return [
    turns === 1 ? "1 turn" : `${number.format(turns)} turns`,
    `${number.format(read)} tokens read`,
    `${number.format(written)} written`,
    money,
  ].join(" · ");
}
