import { expect, test } from "vitest";
import { Problem } from "@/api/problem";
import { type BoardNews, followBoard } from "./followBoard";

const bytes = new TextEncoder();

/** A stream of events that ends. */
const stream = (...events: [event: string, data: object][]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const [event, data] of events) {
        controller.enqueue(bytes.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
      }
      controller.close();
    },
  });

/** Follows what the tries bring, one after the other, and returns the news and the pauses. */
async function heard(...tries: (ReadableStream<Uint8Array> | Problem)[]) {
  const [news, pauses]: [BoardNews[], number[]] = [[], []];
  await followBoard(
    async () => {
      const next = tries.shift();
      if (!next) throw new Problem(404, "It's over.");
      if (next instanceof Problem) throw next;
      return next;
    },
    (one) => news.push(one),
    new AbortController().signal,
    async (milliseconds) => void pauses.push(milliseconds),
  );
  return { news, pauses, kinds: news.map(({ kind }) => kind).join(" ") };
}

test("boards come until the workshop has ended", async () => {
  const { news, kinds } = await heard(stream(["board", { of: 3 }], ["other", {}], ["board", { of: 4 }], ["ended", {}]));
  expect(kinds).toBe("board board ended");
  expect(news[1]).toMatchObject({ board: { of: 4 } });
});

test("a stream that ends is opened again", async () => {
  const { kinds, pauses } = await heard(stream(["board", {}]), stream(), stream(["board", {}], ["ended", {}]));
  expect(kinds).toBe("board lost lost board ended");
  expect(pauses).toEqual([500, 500]);
});

test("a token that has run out ends no workshop", async () => {
  const { kinds } = await heard(stream(["board", {}], ["ended", { code: "unauthenticated" }]), stream(["ended", {}]));
  expect(kinds).toBe("board lost ended");
});

test("whoever hosts the workshop no longer is told so", async () => {
  const { news, kinds } = await heard(
    stream(["board", {}], ["ended", { code: "forbidden", text: "Only its hosts may." }]),
  );
  expect(kinds).toBe("board over");
  expect(news[1]).toMatchObject({ problem: { status: 403, message: "Only its hosts may." } });
});

test("a server that is away is asked again, later each time, and one that refuses isn't", async () => {
  const away = () => new Problem(503, "It's away.");
  const { kinds, pauses } = await heard(away(), away(), away(), new Problem(403, "Only its hosts may."));
  expect(kinds).toBe("lost lost lost over");
  expect(pauses).toEqual([500, 1000, 2000]);
});
