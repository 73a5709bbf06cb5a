import { expect, it } from "vitest";
import { discover } from "./discovery";

const issuer = "https://id.example";
const document = { issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
const answering =
  (body: unknown, status = 200) =>
  async () =>
    new Response(JSON.stringify(body), { status });

it("gives the document of the configured issuer", async () => {
  await expect(discover(`${issuer}/x`, issuer, answering(document))).resolves.toEqual(document);
});

it.each([
  ["an error status", answering(document, 503)],
  ["a page instead of JSON", async () => new Response("<html>")],
  ["null", answering(null)],
  ["an error document", answering({ error: "unavailable" })],
  ["another issuer's document", answering({ ...document, issuer: "https://evil.example" })],
  ["a document without endpoints", answering({ issuer })],
  ["a script as endpoint", answering({ ...document, authorization_endpoint: "javascript:alert(1)" })],
  ["a network failure", () => Promise.reject(new TypeError("Failed to fetch"))],
])("rejects %s", async (_, fetcher) => {
  await expect(discover(`${issuer}/x`, issuer, fetcher)).rejects.toThrow();
});
