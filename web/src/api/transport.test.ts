import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Problem } from "./problem";
import { onTokenRefused, setTokenSource } from "./token";
import { transport } from "./transport";

const server = vi.fn<(request: Request) => Promise<Response>>();
const url = "http://gateway.test/api/v1/rf/sessions";
const sent = () => server.mock.calls.at(-1)?.[0] as Request;

beforeEach(() => {
  server.mockReset();
  vi.stubGlobal("fetch", (request: Request, init: RequestInit) => server(new Request(request, init)));
});

afterEach(() => {
  setTokenSource(() => undefined);
  onTokenRefused(() => {});
  vi.unstubAllGlobals();
});

test("an anonymous request asks caches to stand aside and names nobody", async () => {
  server.mockResolvedValue(Response.json([]));
  await transport(new Request(url));
  expect(Object.fromEntries(sent().headers)).toEqual({
    "cache-control": "no-cache, no-store, must-revalidate",
    pragma: "no-cache",
    expires: "0",
  });
});

test("a caller's request carries the token and the claims", async () => {
  setTokenSource(() => ({ accessToken: "t1", email: "ada@example.org" }));
  server.mockResolvedValue(Response.json([]));
  await transport(new Request(url));
  expect(sent().headers.get("Authorization")).toBe("Bearer t1");
  expect(JSON.parse(sent().headers.get("X-Claims") ?? "")).toEqual({
    userName: "ada@example.org",
    gatewayID: "default",
  });
});

test("an unchanged answer comes from memory, also with a renewed token", async () => {
  setTokenSource(() => ({ accessToken: "t1", email: "bob@example.org" }));
  server.mockResolvedValueOnce(Response.json(["one"], { headers: { ETag: '"1"' } }));
  expect(await (await transport(new Request(url))).json()).toEqual(["one"]);
  setTokenSource(() => ({ accessToken: "t2", email: "bob@example.org" }));
  server.mockResolvedValueOnce(new Response(null, { status: 304 }));
  expect(await (await transport(new Request(url))).json()).toEqual(["one"]);
  expect(sent().headers.get("If-None-Match")).toBe('"1"');
});

test("closed hole: what one caller saw is not kept for the next", async () => {
  setTokenSource(() => ({ accessToken: "t1", email: "carol@example.org" }));
  server.mockImplementation(async () => Response.json(["private"], { headers: { ETag: '"1"' } }));
  await transport(new Request(url));
  setTokenSource(() => ({ accessToken: "t2", email: "dave@example.org" }));
  await transport(new Request(url));
  expect(sent().headers.get("If-None-Match")).toBeNull();
});

test("the tag of an address that many others followed is forgotten", async () => {
  server.mockImplementation(async () => Response.json([], { headers: { ETag: '"1"' } }));
  await transport(new Request(`${url}?first`));
  for (let index = 0; index < 50; index++) await transport(new Request(`${url}?${index}`));
  await transport(new Request(`${url}?first`));
  expect(sent().headers.get("If-None-Match")).toBeNull();
  await transport(new Request(`${url}?49`));
  expect(sent().headers.get("If-None-Match")).toBe('"1"');
});

test("a refused token is reported with the token that was sent", async () => {
  const refused = vi.fn();
  onTokenRefused(refused);
  server.mockImplementation(async () => Response.json({ message: "Please sign in." }, { status: 401 }));
  await expect(transport(new Request(url))).rejects.toMatchObject({ status: 401, message: "Please sign in." });
  expect(refused).not.toHaveBeenCalled();
  setTokenSource(() => ({ accessToken: "old", email: "ada@example.org" }));
  await expect(transport(new Request(url))).rejects.toBeInstanceOf(Problem);
  expect(refused).toHaveBeenCalledExactlyOnceWith("old");
});

test("no answer is a problem, an abandoned request is not", async () => {
  server.mockRejectedValue(new TypeError("fetch failed"));
  await expect(transport(new Request(url))).rejects.toMatchObject({ name: "Problem", status: 0 });
  const controller = new AbortController();
  controller.abort();
  await expect(transport(new Request(url, { signal: controller.signal }))).rejects.not.toBeInstanceOf(Problem);
});

test("a server that stays silent is given up after ten seconds", async () => {
  const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => {
    const controller = new AbortController();
    controller.abort(new DOMException("silent", "TimeoutError"));
    return controller.signal;
  });
  server.mockImplementation(async (request) => {
    request.signal.throwIfAborted();
    return Response.json([]);
  });
  await expect(transport(new Request(url))).rejects.toMatchObject({
    status: 0,
    message: expect.stringContaining("in time"),
  });
  expect(timeout).toHaveBeenCalledWith(10_000);
  timeout.mockRestore();
});

test("an address beyond ASCII travels in the claims", async () => {
  setTokenSource(() => ({ accessToken: "t1", email: "žofie@example.org" }));
  server.mockResolvedValue(Response.json([]));
  await transport(new Request(url));
  expect(JSON.parse(sent().headers.get("X-Claims") ?? "").userName).toBe("žofie@example.org");
});
