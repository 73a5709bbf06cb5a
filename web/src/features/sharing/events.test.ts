import { expect, test } from "vitest";
import { EventParser, readEvents, type ServerEvent } from "./events";

const parsed = (...pieces: string[]): ServerEvent[] => {
  const parser = new EventParser();
  return pieces.flatMap((piece) => parser.read(piece));
};

const view = { event: "view", data: '{"a":1}' };

test("an event is read, whatever its lines end with", () => {
  for (const end of ["\n", "\r\n", "\r"]) {
    // After a carriage return a line feed could follow: the event is read all the same.
    expect(parsed(`event: view${end}data: {"a":1}${end}${end}`)).toEqual([view]);
  }
});

test("an event is read, wherever it is cut", () => {
  for (const end of ["\n", "\r\n"]) {
    const text = `event: view${end}data: {"a":1}${end}${end}event: view${end}data: {"a":1}${end}${end}`;
    for (let at = 0; at <= text.length; at++) {
      expect(parsed(text.slice(0, at), text.slice(at))).toEqual([view, view]);
    }
    expect(parsed(...text)).toEqual([view, view]);
  }
});

test("comments, unknown fields and events without data say nothing", () => {
  expect(parsed(": still here\n\n", "id: 4\nretry: 10\n\n", "event: view\n\n", "data\n\n")).toEqual([
    { event: "message", data: "" },
  ]);
});

test("lines of data are one text, and one blank before it doesn't count", () => {
  expect(parsed("data:a\ndata:  b\ndata: c: d\n\n")).toEqual([{ event: "message", data: "a\n b\nc: d" }]);
});

test("what isn't complete is no event", () => {
  expect(parsed("event: view\ndata: {")).toEqual([]);
});

const bytes = new TextEncoder();

async function all(stream: ReadableStream<Uint8Array>, patience = 1000) {
  const found: ServerEvent[] = [];
  for await (const one of readEvents(stream, patience)) found.push(one);
  return found;
}

test("characters of several bytes may arrive in parts", async () => {
  const text = bytes.encode("data: 測定 😀\n\n");
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of text) controller.enqueue(new Uint8Array([byte]));
      controller.close();
    },
  });
  expect(await all(stream)).toEqual([{ event: "message", data: "測定 😀" }]);
});

test("a stream that falls silent is given up, and one that nobody reads further is let go", async () => {
  let canceled = 0;
  const silent = () =>
    new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(bytes.encode("data: a\n\n")),
      cancel: () => {
        canceled += 1;
      },
    });
  await expect(all(silent(), 10)).rejects.toThrow();
  for await (const _ of readEvents(silent(), 1000)) break;
  expect(canceled).toBe(2);
});
