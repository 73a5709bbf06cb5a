import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { connection } from "./connection";
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
  onTokenRefused(async () => false);
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
  setTokenSource(() => ({ accessToken: "t1", subject: "ada", email: "ada@example.org" }));
  server.mockResolvedValue(Response.json([]));
  await transport(new Request(url));
  expect(sent().headers.get("Authorization")).toBe("Bearer t1");
  expect(JSON.parse(sent().headers.get("X-Claims") ?? "")).toEqual({
    userName: "ada@example.org",
    gatewayID: "default",
  });
});

test("an unchanged answer comes from memory, also with a renewed token", async () => {
  setTokenSource(() => ({ accessToken: "t1", subject: "bob", email: "bob@example.org" }));
  server.mockResolvedValueOnce(Response.json(["one"], { headers: { ETag: '"1"' } }));
  expect(await (await transport(new Request(url))).json()).toEqual(["one"]);
  setTokenSource(() => ({ accessToken: "t2", subject: "bob", email: "bob@example.org" }));
  server.mockResolvedValueOnce(new Response(null, { status: 304 }));
  expect(await (await transport(new Request(url))).json()).toEqual(["one"]);
  expect(sent().headers.get("If-None-Match")).toBe('"1"');
});

test("bytes that are no text stay as they are, also from memory", async () => {
  const picture = new Uint8Array([137, 80, 78, 71, 255, 0]);
  const headers = { ETag: '"p"', "Content-Type": "image/png" };
  server.mockResolvedValueOnce(new Response(picture, { headers }));
  expect(new Uint8Array(await (await transport(new Request(`${url}/p`))).arrayBuffer())).toEqual(picture);
  server.mockResolvedValueOnce(new Response(null, { status: 304 }));
  const again = await transport(new Request(`${url}/p`));
  expect(again.headers.get("Content-Type")).toBe("image/png");
  expect(new Uint8Array(await again.arrayBuffer())).toEqual(picture);
});

test("closed hole: what one caller saw is not kept for the next", async () => {
  setTokenSource(() => ({ accessToken: "t1", subject: "carol", email: "carol@example.org" }));
  server.mockImplementation(async () => Response.json(["private"], { headers: { ETag: '"1"' } }));
  await transport(new Request(url));
  setTokenSource(() => ({ accessToken: "t2", subject: "dave", email: "dave@example.org" }));
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
  const refused = vi.fn(async () => false);
  onTokenRefused(refused);
  server.mockImplementation(async () => Response.json({ message: "Please sign in." }, { status: 401 }));
  await expect(transport(new Request(url))).rejects.toMatchObject({ status: 401, message: "Please sign in." });
  expect(refused).not.toHaveBeenCalled();
  setTokenSource(() => ({ accessToken: "old", subject: "ada", email: "ada@example.org" }));
  await expect(transport(new Request(url))).rejects.toBeInstanceOf(Problem);
  expect(refused).toHaveBeenCalledExactlyOnceWith("old");
  expect(server).toHaveBeenCalledTimes(2);
});

test("a call whose token was refused is sent once more, whole, with the renewed one", async () => {
  setTokenSource(() => ({ accessToken: "old", subject: "ada", email: "ada@example.org" }));
  onTokenRefused(async () => {
    setTokenSource(() => ({ accessToken: "new", subject: "ada", email: "ada@example.org" }));
    return true;
  });
  const seen: string[] = [];
  server.mockImplementation(async (request) => {
    seen.push(`${request.headers.get("Authorization")} ${await request.text()}`);
    return seen.length === 1 ? new Response(null, { status: 401 }) : Response.json(["done"]);
  });
  const answer = await transport(new Request(url, { method: "POST", body: "typed" }));
  expect(await answer.json()).toEqual(["done"]);
  expect(seen).toEqual(["Bearer old typed", "Bearer new typed"]);
});

test("a refused call is not sent again as somebody else who signed in meanwhile", async () => {
  // Providers may leave out the e-mail.
  setTokenSource(() => ({ accessToken: "old", subject: "ada", email: "" }));
  onTokenRefused(async () => {
    setTokenSource(() => ({ accessToken: "new", subject: "bob", email: "" }));
    return true;
  });
  server.mockImplementation(async () => Response.json({ message: "Please sign in." }, { status: 401 }));
  await expect(transport(new Request(url, { method: "POST", body: "typed" }))).rejects.toMatchObject({ status: 401 });
  expect(server).toHaveBeenCalledOnce();
});

test("a renewed token that is refused too is reported, and the call ends there", async () => {
  const refused = vi.fn(async (token: string) => {
    setTokenSource(() => ({ accessToken: "new", subject: "ada", email: "ada@example.org" }));
    return token === "old";
  });
  setTokenSource(() => ({ accessToken: "old", subject: "ada", email: "ada@example.org" }));
  onTokenRefused(refused);
  server.mockImplementation(async () => Response.json({ message: "Please sign in." }, { status: 401 }));
  await expect(transport(new Request(url))).rejects.toMatchObject({ status: 401 });
  expect(refused.mock.calls).toEqual([["old"], ["new"]]);
  expect(server).toHaveBeenCalledTimes(2);
});

test("what failed for another reason is not sent again", async () => {
  const refused = vi.fn(async () => true);
  setTokenSource(() => ({ accessToken: "t1", subject: "ada", email: "ada@example.org" }));
  onTokenRefused(refused);
  server.mockImplementation(async () => new Response(null, { status: 503 }));
  await expect(transport(new Request(url, { method: "POST" }))).rejects.toMatchObject({ status: 503 });
  expect(refused).not.toHaveBeenCalled();
  expect(server).toHaveBeenCalledOnce();
});

test("an answer that says that the database is away is reported, others are not", async () => {
  const reported = vi.spyOn(connection, "databaseAway").mockImplementation(() => {});
  server.mockImplementation(async () => Response.json({ code: "index_building" }, { status: 503 }));
  await expect(transport(new Request(url))).rejects.toMatchObject({ status: 503 });
  expect(reported).not.toHaveBeenCalled();
  server.mockImplementation(async () => Response.json({ code: "database_unavailable" }, { status: 503 }));
  await expect(transport(new Request(url))).rejects.toMatchObject({ code: "database_unavailable" });
  expect(reported).toHaveBeenCalledOnce();
  reported.mockRestore();
});

test("no answer is a problem, an abandoned request is not", async () => {
  server.mockRejectedValue(new TypeError("fetch failed"));
  await expect(transport(new Request(url))).rejects.toMatchObject({ name: "Problem", status: 0 });
  const controller = new AbortController();
  controller.abort();
  await expect(transport(new Request(url, { signal: controller.signal }))).rejects.not.toBeInstanceOf(Problem);
});

test("an answer that ends in its middle is a problem", async () => {
  const broken = new ReadableStream({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode("["));
      controller.error(new TypeError("network error"));
    },
  });
  server.mockResolvedValue(new Response(broken));
  await expect(transport(new Request(url))).rejects.toMatchObject({ name: "Problem", status: 0 });
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
  setTokenSource(() => ({ accessToken: "t1", subject: "zofie", email: "žofie@example.org" }));
  server.mockResolvedValue(Response.json([]));
  await transport(new Request(url));
  expect(JSON.parse(sent().headers.get("X-Claims") ?? "").userName).toBe("žofie@example.org");
});

test("a body that never ends is read as it comes", async () => {
  setTokenSource(() => ({ accessToken: "t1", subject: "ada", email: "ada@example.org" }));
  const endless = () =>
    new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(new TextEncoder().encode("begun")) });
  server
    .mockResolvedValueOnce(new Response("{}", { status: 401 }))
    .mockImplementation(async () => new Response(endless()));
  onTokenRefused(async () => true);
  const { value } = (await (await transport(new Request(url), 86_400_000)).body?.getReader().read()) ?? {};
  expect(new TextDecoder().decode(value)).toBe("begun");
  expect(sent().headers.get("Authorization")).toBe("Bearer t1");
});

test("what refuses an endless answer is a problem", async () => {
  server.mockResolvedValueOnce(Response.json({ code: "not_found", message: "No." }, { status: 404 }));
  await expect(transport(new Request(url), 86_400_000)).rejects.toMatchObject({ status: 404, message: "No." });
});
