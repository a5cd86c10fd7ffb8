// Models on the bot's own machine: looked for when somebody asks, and used by one press.

import { make } from "./make.js";
import { Progress } from "./progress.js";
import { checked, serverName } from "./saying.js";
import { findLocal, useLocal } from "./setup.js";

export class LocalModels {
  constructor({ root, onDone }) {
    this.onDone = onDone;
    this.list = root.querySelector("ul");
    this.look = root.querySelector("#local-look");
    this.progress = new Progress(root);
    this.look.addEventListener("click", () => this.find());
    this.list.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      button && this.use(button);
    });
  }

  async find() {
    this.list.replaceChildren();
    await this.progress.during("Looking on the usual ports…", async () => {
      const servers = await findLocal();
      const rows = servers.flatMap((server) => server.models.map((model) => row(server, model)));
      this.list.replaceChildren(...rows);
      return told(servers, rows.length);
    });
  }

  async use({ dataset: { address, model } }) {
    const asking = `Asking ${model}. It may take a minute to load.`;
    const done = await this.progress.during(asking, async () => checked(await useLocal({ address, model })));
    if (done) {
      this.progress.praise();
      this.list.replaceChildren();
      this.look.focus();
      this.onDone();
    }
  }

  forget() {
    this.list.replaceChildren();
    this.progress.forget();
  }
}

function told(servers, models) {
  if (!servers.length) {
    return ["No model server answered. Start Ollama, LM Studio or llama.cpp, and look again."];
  }
  if (!models) {
    const names = servers.map(({ kind }) => serverName(kind)).join(" and ");
    return [`${names} answered, and has no model to chat with. Load one there, and look again.`];
  }
  return [models === 1 ? "One model is there." : `${models} models are there.`];
}

function row({ kind, address }, model) {
  const button = make("button", { type: "button", className: "small", ariaLabel: `Use ${model}` }, "Use");
  Object.assign(button.dataset, { address, model });
  const where = make("span", { className: "soft" }, `${serverName(kind)}, ${address}`);
  return make("li", {}, make("span", {}, make("strong", {}, model), " ", where), button);
}
