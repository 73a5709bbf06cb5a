import { expect, test } from "vitest";
import { Problem } from "@/api/problem";
import { followView, type News, pauseAfter } from "./follow";

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

const view = (number: number) => ({ number, note: "", notebook: null });
const text = "It isn't shared with you any longer.";
const ended: [string, object] = ["ended", { code: "not_found", text }];

/** Follows what the tries bring, one after the other, and returns the news and the pauses. */
async function heard(...tries: (ReadableStream<Uint8Array> | Problem)[]) {
  const [news, pauses]: [News[], number[]] = [[], []];
  await followView(
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

test("changes lead from one view to the next, until somebody may no longer look", async () => {
  const { news, kinds } = await heard(
    stream(["shared", { can: "see" }], ["view", view(3)], ["change", { number: 4, fields: { note: "a" } }], ended),
  );
  expect(kinds).toBe("open shared view view over");
  expect(news[3]).toMatchObject({ view: { number: 4, note: "a" } });
  expect(news[4]).toMatchObject({ problem: { status: 404, code: "not_found", message: text } });
});

test("a stream that ends is opened again, and begins with everything", async () => {
  const { kinds, pauses } = await heard(stream(["view", view(1)]), stream(["view", view(1)], ended));
  expect(kinds).toBe("open view lost open view over");
  expect(pauses).toEqual([500]);
});

test("a change that doesn't follow ends the stream", async () => {
  const { kinds } = await heard(
    stream(["view", view(1)], ["change", { number: 3, fields: {} }], ["change", { number: 2, fields: {} }]),
    stream(["change", { number: 2, fields: {} }], ["view", view(3)]),
    stream(ended),
  );
  expect(kinds).toBe("open view lost open lost open over");
});

test("pauses grow while nothing comes, and are as long as the server asks for", async () => {
  const away = new Problem(0, "No answer.");
  const { kinds, pauses } = await heard(
    away,
    away,
    away,
    stream(["view", view(1)]),
    new Problem(429, "Too many.", { retryAfter: 5 }),
  );
  expect(kinds).toBe("lost lost lost open view lost lost over");
  expect(pauses).toEqual([500, 1000, 2000, 500, 5000]);
  expect(pauseAfter(20, undefined)).toBe(30_000);
});

test.each([401, 403, 404])("after a %d nobody asks again", async (status) => {
  const { news, pauses } = await heard(new Problem(status, "No."));
  expect(news).toMatchObject([{ kind: "over", problem: { status } }]);
  expect(pauses).toEqual([]);
});

test("a stream that ends with its token is opened again with another one, or not at all", async () => {
  const expired: [string, object] = ["ended", { code: "unauthenticated", text: "Sign in again." }];
  const renewed = await heard(stream(["view", view(1)], expired), stream(["view", view(1)], ended));
  expect(renewed.kinds).toBe("open view lost open view over");
  const { news, kinds } = await heard(stream(["view", view(1)], expired), new Problem(401, "Sign in."));
  expect(kinds).toBe("open view lost over");
  expect(news[3]).toMatchObject({ problem: { status: 401 } });
});

test("whoever leaves hears nothing more", async () => {
  const leaving = new AbortController();
  const news: News[] = [];
  await followView(
    async () => stream(["view", view(1)], ["view", view(2)]),
    (one) => {
      news.push(one);
      if (one.kind === "view") leaving.abort();
    },
    leaving.signal,
  );
  expect(news.map(({ kind }) => kind)).toEqual(["open", "view"]);
});
