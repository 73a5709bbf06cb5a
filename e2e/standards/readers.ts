import { createRequire } from "node:module";
import type { APIRequestContext } from "@playwright/test";
import { expect } from "../support/test";

/*
 * What others use to read links, crates and JSON-LD. Nothing is fetched: contexts are the packages' own or say that every term is of
 * schema.org.
 */

const load = createRequire(import.meta.url);

const crateContext: object = load("ro-crate/lib/context.json");
const contexts: Record<string, object> = {
  "https://w3id.org/ro/crate/1.2/context": crateContext,
  "https://schema.org/": { "@context": { "@vocab": "http://schema.org/" } },
  "https://w3id.org/codemeta/3.1": { "@context": { "@vocab": "https://w3id.org/codemeta/" } },
};

interface Finding {
  id: string;
  status: "success" | "warning" | "error";
}

interface Header {
  refs: { uri: string; rel: string; type?: string }[];
}

export interface Crate {
  "@graph": Record<string, unknown>[];
}

/** The forms of entries of a type that are JSON-LD. */
export const formsOf = (type: string) => ["jsonld", "rocrate", type === "DATASET" ? "croissant" : "codemeta"];

/** The address of a form of an entry, in one of its versions if that is named. */
export const exportOf = (url: string, id: string | undefined, form: string, version?: number) =>
  `${url}/api/v1/rf/resources/public/${id}/export/${form}${version === undefined ? "" : `?version=${version}`}`;

/** The links of a page, as an independent parser reads them; each that leads here is answered. */
export async function readLinks(request: APIRequestContext, url: string, path: string): Promise<Header["refs"]> {
  const LinkHeader: { parse: (text: string) => Header } = load("http-link-header");
  const page = await request.get(url + path);
  const { refs } = LinkHeader.parse(page.headers().link ?? "");
  for (const { uri, rel, type: kind } of refs) {
    expect(uri).toMatch(/^https?:\/\//);
    if (uri.startsWith(url) && kind) {
      const answer = await request.get(uri);
      expect([rel, uri, answer.status(), answer.headers()["content-type"]]).toEqual([rel, uri, 200, expect.stringContaining(kind)]);
      LinkHeader.parse(answer.headers().link ?? "");
    }
  }
  return refs;
}

/** The triples that an independent processor understands of a JSON-LD text. What would be lost is an error. */
export async function readTriples(text: string, url: string): Promise<string> {
  const jsonld = load("jsonld");
  const documentLoader = (address: string) => {
    const document = contexts[address];
    if (!document) throw new Error(`${address} would be fetched`);
    return Promise.resolve({ contextUrl: undefined, documentUrl: address, document });
  };
  const options = { documentLoader, base: `${url}/`, safe: true };
  const expanded: { "@type"?: string[] }[] = await jsonld.expand(JSON.parse(text), options);
  expect(expanded.length).toBeGreaterThan(0);
  return jsonld.toRDF(JSON.parse(text), { ...options, format: "application/n-quads" });
}

/** What an independent validator finds wrong with a crate that lies beside files with these paths. */
export async function errorsIn(crate: Crate, files: string[] = []): Promise<Finding[]> {
  const online = globalThis.fetch;
  globalThis.fetch = () => Promise.resolve(Response.json(crateContext));
  const { validate }: { validate: (crate: object, files: object) => Promise<Finding[]> } = load("ro-crate/lib/validator");
  globalThis.fetch = online;
  const beside = Object.fromEntries(files.map((path) => [path, { exists: true, inCrate: false }]));
  return (await validate(crate, beside)).filter(({ status }) => status !== "success");
}
