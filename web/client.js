// Talks to the server: the models it has, and streams of server-sent events.

export class ServerError extends Error {}

const GONE = "The server does not answer. Start it again with memsizer serve, then press Run.";

function headers(key) {
  const all = { "Content-Type": "application/json" };
  if (key) all.Authorization = `Bearer ${key}`;
  return all;
}

async function problemOf(response) {
  try {
    const { error } = await response.json();
    return typeof error === "string" ? error : error.message;
  } catch {
    return `The server answered ${response.status}.`;
  }
}

async function ask(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ServerError(GONE);
  }
  if (!response.ok) throw new ServerError(await problemOf(response));
  return response;
}

export async function models(key) {
  const response = await ask("/v1/models", { headers: headers(key) });
  return (await response.json()).data;
}

// The events of a stream, as objects. An error that comes inside of the stream is thrown.
export async function* events(path, body, key, signal) {
  const response = await ask(path, {
    method: "POST", headers: headers(key), body: JSON.stringify(body), signal,
  });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let last = false;
  while (!last) {
    let part;
    try {
      part = await reader.read();
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new ServerError(GONE);
    }
    if (part.done) throw new ServerError("The server ended before the text was complete.");
    const parts = (rest + part.value).split("\n\n");
    rest = parts.pop();
    for (const one of parts) {
      const data = one.replace(/^data: /, "");
      if (data === "[DONE]") {
        last = true;
        break;
      }
      const event = JSON.parse(data);
      if (event.error) throw new ServerError(event.error.message ?? event.error);
      yield event;
    }
  }
}
