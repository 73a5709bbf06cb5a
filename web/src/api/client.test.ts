import { expect, test } from "vitest";
import { addressOf } from "./client";

test.each([
  ["values in the path", { path: { id: "a/b c@d,é" } }, "/x/{id}/y", "/x/a%2Fb%20c%40d%2C%C3%A9/y"],
  ["a list", { query: { tag: ["a,b", "c&d"] } }, "/x", "/x?tag=a%2Cb&tag=c%26d"],
  ["an empty list", { query: { tag: [] } }, "/x", "/x"],
  ["what is not given", { query: { a: undefined, b: null, c: "", d: 0, e: false } }, "/x", "/x?c=&d=0&e=false"],
])("%s", (_, params, path, address) => {
  expect(addressOf(path, params)).toBe(address);
});
