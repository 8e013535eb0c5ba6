import { events, models, ServerError } from "/client.js";
import { bytesText, drawMemory, sizeAt } from "/chart.js";

const byId = (id) => document.getElementById(id);
const panels = [...document.querySelectorAll(".panel")];
const LABELS = {
  translation: "Text to translate, one sentence per line",
  summarization: "Document to summarise",
  "language-model": "Prompt to go on from",
};
// Longer results are cut at the front: a page that keeps a million tokens is of no use to anybody.
const MOST_SHOWN = 20000;

let loaded = [];
let running = null;
let shown = [];

function modelNamed(name) {
  return loaded.find((model) => model.id === name);
}

function isLanguageModel(model) {
  return model.task === "language-model";
}

function showProblem(text) {
  byId("problem").textContent = text;
}

function showTask() {
  const model = modelNamed(byId("model").value);
  if (!model) return;
  byId("text-label").textContent = LABELS[model.task];
  byId("drawing").hidden = !isLanguageModel(model);
}

function fill(select, choices, kept) {
  const before = select.value;
  select.replaceChildren(...kept, ...choices.map((model) => {
    const option = document.createElement("option");
    option.value = model.id;
    option.textContent = `${model.id} (${isLanguageModel(model) ? "completion" : model.task})`;
    return option;
  }));
  if (modelNamed(before)) select.value = before;
}

async function loadModels() {
  loaded = await models(byId("key").value);
  fill(byId("model"), loaded, []);
  fill(byId("other"), loaded, [byId("other").options[0]]);
  showTask();
}

// What is asked of a model, and the text and numbers of its events.
function requestFor(model, text) {
  if (isLanguageModel(model)) {
    const tokens = Number(byId("max-tokens").value);
    const body = {
      model: model.id, prompt: text, stream: true, max_tokens: tokens,
      temperature: Number(byId("temperature").value), stream_options: { include_usage: true },
    };
    if (byId("seed").value !== "") body.seed = Number(byId("seed").value);
    if (byId("endless").checked) body.min_tokens = tokens;
    return { path: "/v1/completions", body };
  }
  const body = { model: model.id, stream: true };
  if (model.task === "translation") return { path: "/translate", body: { ...body, q: text } };
  return { path: "/summarize", body: { ...body, text } };
}

class Panel {
  constructor(section, model, text) {
    this.section = section;
    this.model = model;
    this.output = section.querySelector(".result");
    this.lines = [];
    this.tokens = 0;
    this.prompt = 0;
    this.words = isLanguageModel(model) ? 0 : text.split(/\s+/).length;
    this.started = performance.now();
    this.first = 0;
    this.measured = null;
    this.waiting = false;
    section.hidden = false;
    section.querySelector("h2").textContent = model.id;
    this.show();
  }

  take(event) {
    const choice = event.choices?.[0];
    if (event.text !== undefined) this.add(event.line, event.text);
    if (choice?.text) this.add(0, choice.text);
    if (event.usage) {
      this.tokens = event.usage.completion_tokens;
      this.prompt = event.usage.prompt_tokens;
    }
    if (event.memsizer) {
      this.measured = event.memsizer;
      this.tokens = event.memsizer.completion_tokens ?? this.tokens;
      this.words = isLanguageModel(this.model) ? 0 : event.memsizer.prompt_tokens;
    }
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.show();
    });
  }

  add(line, text) {
    if (!this.first) this.first = performance.now() - this.started;
    this.tokens += 1;
    this.lines[line] = ((this.lines[line] ?? "") + text).slice(-MOST_SHOWN);
  }

  show() {
    const seconds = (this.measured?.ms ?? performance.now() - this.started) / 1000;
    const bytes = this.measured?.state_bytes ?? sizeAt(this.model.state, this.tokens, this.words);
    this.output.textContent = Array.from(this.lines, (line) => line ?? "").join("\n");
    const numbers = {
      "Tokens": String(this.tokens),
      "Tokens per second": this.tokens > 0 && seconds > 0 ? (this.tokens / seconds).toFixed(1) : "–",
      "Time to first token": this.first ? `${Math.round(this.first)} ms` : "–",
      "Memory of this text": bytesText(bytes),
    };
    this.section.querySelector(".numbers").replaceChildren(...Object.entries(numbers).map(([name, value]) => {
      const group = document.createElement("div");
      const term = document.createElement("dt");
      const number = document.createElement("dd");
      term.textContent = name;
      number.textContent = value;
      group.append(term, number);
      return group;
    }));
    drawMemory(this.section.querySelector(".chart"), this.model, this.prompt + this.tokens, this.words);
  }
}

async function generate(panel, text, signal) {
  const { path, body } = requestFor(panel.model, text);
  for await (const event of events(path, body, byId("key").value, signal)) panel.take(event);
  // The last numbers are on the page before it says that it is done.
  panel.show();
}

async function run() {
  if (running) return;
  showProblem("");
  running = new AbortController();
  byId("run").disabled = true;
  byId("stop").disabled = false;
  byId("status").textContent = "Running";
  try {
    if (!loaded.length) await loadModels();
    const text = byId("text").value;
    const chosen = [byId("model").value, byId("other").value].map(modelNamed).filter(Boolean);
    if (!chosen.length) throw new ServerError("No model is loaded. Start the server with --model FILE.");
    for (const panel of panels) panel.hidden = true;
    shown = chosen.map((model, i) => new Panel(panels[i], model, text));
    const { signal } = running;
    const ends = await Promise.allSettled(shown.map((panel) => generate(panel, text, signal)));
    const failed = ends.find((end) => end.status === "rejected");
    if (failed) throw failed.reason;
    byId("status").textContent = "Done";
  } catch (error) {
    const stopped = error.name === "AbortError";
    byId("status").textContent = stopped ? "Stopped" : "";
    if (!stopped) showProblem(error instanceof ServerError ? error.message : `The page failed: ${error.message}`);
  } finally {
    running = null;
    byId("run").disabled = false;
    byId("stop").disabled = true;
  }
}

function stop() {
  running?.abort();
}

byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  run();
});
byId("stop").addEventListener("click", stop);
window.addEventListener("resize", () => shown.forEach((panel) => panel.show()));
byId("model").addEventListener("change", showTask);
byId("key").addEventListener("change", () => {
  showProblem("");
  loadModels().catch((error) => showProblem(error.message));
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") stop();
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    run();
  }
});
loadModels().catch((error) => showProblem(error.message));
