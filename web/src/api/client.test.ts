import { expect, expectTypeOf, test, vi } from "vitest";
import { type AnswerOf, addressOf, answer, api } from "./client";
import type { Account, Resource } from "./types";

test.each([
  ["values in the path", { path: { id: "a/b c@d,é" } }, "/x/{id}/y", "/x/a%2Fb%20c%40d%2C%C3%A9/y"],
  ["a list", { query: { tag: ["a,b", "c&d"] } }, "/x", "/x?tag=a%2Cb&tag=c%26d"],
  ["an empty list", { query: { tag: [] } }, "/x", "/x"],
  ["what is not given", { query: { a: undefined, b: null, c: "", d: 0, e: false } }, "/x", "/x?c=&d=0&e=false"],
])("%s", (_, params, path, address) => {
  expect(addressOf(path, params)).toBe(address);
});

test.each([
  [200, '{"email":"ada@example.org"}', { email: "ada@example.org" }],
  [204, null, undefined],
])("an answer of status %d", async (status, body, value) => {
  class Here extends Request {
    constructor(path: string, init?: RequestInit) {
      super(new URL(path, "http://gateway.test"), init);
    }
  }
  vi.stubGlobal("Request", Here);
  vi.stubGlobal("fetch", async () => new Response(body, { status }));
  expect(await api.GET("/api/v1/rf/accounts/me")).toEqual({ data: value });
  expect(await answer(api.GET("/api/v1/rf/accounts/me"))).toEqual(value);
});

// The compiler checks these.
test("the types promise what the contract has, and no more", () => {
  type Answer = { responses: { 200: { content: { "application/json": string } }; 204: { content?: never } } };
  expectTypeOf<AnswerOf<Answer>>().toEqualTypeOf<string | undefined>();
  type Archive = { responses: { 200: { content: { "application/zip": string } } } };
  expectTypeOf<AnswerOf<Archive>>().toEqualTypeOf<never>();
  const calls = [
    () => expectTypeOf(answer(api.GET("/api/v1/rf/accounts/me"))).resolves.toEqualTypeOf<Account>(),
    () => expectTypeOf(api.GET("/api/v1/rf/accounts/me")).resolves.toEqualTypeOf<{ data: Account }>(),
    () =>
      expectTypeOf(
        answer(api.GET("/api/v1/rf/resources/public/{id}", { params: { path: { id: "1" } } })),
      ).resolves.toEqualTypeOf<Resource>(),
    // @ts-expect-error There is no such path.
    () => api.GET("/api/v1/rf/nowhere"),
    // @ts-expect-error It has no such method.
    () => api.PUT("/api/v1/rf/accounts/me"),
    // @ts-expect-error It needs an id.
    () => api.GET("/api/v1/rf/resources/public/{id}"),
    // @ts-expect-error It takes no body.
    () => api.GET("/api/v1/rf/accounts/me", { body: {} }),
    // @ts-expect-error Nobody reads it.
    () => api.GET("/api/v1/rf/accounts/me", { parseAs: "text" }),
    // @ts-expect-error It needs a body.
    () => api.POST("/api/v1/rf/projects"),
  ];
  expect(calls).toHaveLength(9);
});
