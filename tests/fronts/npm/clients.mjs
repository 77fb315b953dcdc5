// Clients of an Agent Server as applications have them: `useStream` of React, and the SDK.
// `node clients.mjs react|sdk URL` holds one conversation and prints what it saw as JSON.
import { Client } from "@langchain/langgraph-sdk";
import { useStream } from "@langchain/react";
import { createElement } from "react";
import { create } from "react-test-renderer";

const FIRST = "¿Cuántos días de vacaciones me corresponden?";
const SECOND = "¿Y pueden sustituirse por dinero?";
const ENDLESS = "¿Cuánto dura lo que no tiene fin?";
const PATIENCE = 600_000;

const human = (content) => ({ messages: [{ type: "human", content }] });
const textOf = ({ content }) =>
  typeof content === "string" ? content : content.map((block) => block.text ?? "").join("");
const summary = (message) => ({
  id: message.id,
  type: message.type,
  text: textOf(message),
  annotations: Array.isArray(message.content) ? (message.content[0].annotations ?? []) : [],
  kept: message.additional_kwargs,
  metadata: message.response_metadata,
  usage: message.usage_metadata,
});

async function until(holds) {
  const giveUp = Date.now() + PATIENCE;
  while (!holds()) {
    if (Date.now() > giveUp) throw new Error(`waited in vain: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

// Return the checkpoint of a thread with its last question and no answer yet, and how many checkpoints there are.
async function lastAsked(client, thread) {
  const history = await client.threads.getHistory(thread, { limit: 50 });
  const { checkpoint } = history.find(({ values }) => values.messages?.at(-1)?.type === "human");
  return { checkpoint, checkpoints: history.length };
}

async function react(apiUrl) {
  const seen = { stream: undefined, texts: [] };
  function Chat() {
    const stream = useStream({ apiUrl, assistantId: "rag" });
    const last = stream.messages.at(-1);
    seen.stream = stream;
    if (last?.type === "ai" && textOf(last) !== seen.texts.at(-1)) seen.texts.push(textOf(last));
    return null;
  }
  create(createElement(Chat));
  await until(() => seen.stream);
  const messages = () => seen.stream.messages.map(summary);
  const turn = async (input, options) => {
    seen.texts = [];
    await seen.stream.submit(input, options);
    await until(() => !seen.stream.isLoading);
    return { texts: seen.texts, messages: messages(), error: seen.stream.error ? String(seen.stream.error) : null };
  };

  const first = await turn(human(FIRST));
  const followUp = await turn(human(SECOND));
  const { checkpoint } = await lastAsked(seen.stream.client, seen.stream.threadId);
  const again = await turn(undefined, { forkFrom: checkpoint.checkpoint_id });
  seen.texts = [];
  await seen.stream.submit(human(ENDLESS));
  await until(() => seen.texts.length > 5);
  const endless = seen.texts.slice(0, 5);
  await seen.stream.stop();
  await until(() => !seen.stream.isLoading);
  return { first, followUp, again, endless };
}

async function sdk(apiUrl) {
  const client = new Client({ apiUrl });
  const { thread_id: thread } = await client.threads.create();
  const turn = async (input, options = {}) => {
    const pieces = [];
    const mode = { streamMode: ["messages-tuple", "values"], ...options };
    for await (const { event, data } of client.runs.stream(thread, "rag", { input, ...mode })) {
      if (event === "error") throw new Error(JSON.stringify(data));
      if (event === "messages") pieces.push({ id: data[0].id, type: data[0].type, text: textOf(data[0]) });
    }
    const state = await client.threads.getState(thread);
    return { pieces, messages: state.values.messages.map(summary) };
  };

  const first = await turn(human(FIRST));
  const followUp = await turn(human(SECOND));
  const { checkpoint, checkpoints } = await lastAsked(client, thread);
  const again = await turn(undefined, { checkpoint });

  const run = await client.runs.create(thread, "rag", { input: human(ENDLESS), streamMode: ["messages-tuple"] });
  for await (const { event } of client.runs.joinStream(thread, run.run_id, { streamMode: ["messages-tuple"] })) {
    if (event === "messages") break;
  }
  await client.runs.cancel(thread, run.run_id, true);
  const { status } = await client.runs.get(thread, run.run_id);
  return { first, followUp, again, checkpoints, status };
}

const [scenario, url] = process.argv.slice(2);
console.log(JSON.stringify(await { react, sdk }[scenario](url)));
process.exit(0);
