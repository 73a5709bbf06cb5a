import { createRequire } from "node:module";
import { entryPath } from "../budget/routes";
import { expect, test } from "../support/test";

/*
 * What others use to read links, crates, JSON-LD and harvests accepts what this server says. Nothing is fetched: contexts
 * are the packages' own or say that every term is of schema.org.
 */

const load = createRequire(import.meta.url);

const types = ["NOTEBOOK", "DATASET", "REPOSITORY", "MODEL"] as const;
const formsOf = (type: string) => ["jsonld", "rocrate", type === "DATASET" ? "croissant" : "codemeta"];

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

test("an independent parser reads the links of every type of entry @all @desktop", async ({ cairn, request }) => {
  const LinkHeader: { parse: (text: string) => Header } = load("http-link-header");
  for (const type of types) {
    const page = await request.get(cairn.url + (await entryPath(cairn, type)));
    const { refs } = LinkHeader.parse(page.headers().link ?? "");
    const named = (relation: string) => refs.filter(({ rel }) => rel === relation);
    expect(named("cite-as")).toHaveLength(1);
    expect(named("linkset")).toHaveLength(1);
    expect(named("type")).toHaveLength(2);
    expect(named("describedby").length).toBeGreaterThan(7);
    for (const { uri, rel, type: kind } of refs) {
      expect(uri).toMatch(/^https?:\/\//);
      if (uri.startsWith(cairn.url) && kind) {
        const answer = await request.get(uri);
        expect([rel, uri, answer.status(), answer.headers()["content-type"]]).toEqual([rel, uri, 200, expect.stringContaining(kind)]);
        LinkHeader.parse(answer.headers().link ?? "");
      }
    }
  }
});

test("an independent processor understands the JSON-LD of every type of entry @all @desktop", async ({ cairn, request }) => {
  const jsonld = load("jsonld");
  const documentLoader = (address: string) => {
    const document = contexts[address];
    if (!document) throw new Error(`${address} would be fetched`);
    return Promise.resolve({ contextUrl: undefined, documentUrl: address, document });
  };
  for (const type of types) {
    const path = await entryPath(cairn, type);
    const id = path.split("/").at(-1);
    const page = await (await request.get(cairn.url + path)).text();
    const head = /<script type="application\/ld\+json"[^>]*>(.*?)<\/script>/s.exec(page)?.[1] ?? "";
    const texts = [head];
    for (const form of formsOf(type)) texts.push(await (await request.get(`${cairn.url}/api/v1/rf/resources/public/${id}/export/${form}`)).text());
    for (const text of texts) {
      // Safe: what would be lost is an error.
      const options = { documentLoader, base: `${cairn.url}/`, safe: true };
      const expanded: { "@type"?: string[] }[] = await jsonld.expand(JSON.parse(text), options);
      expect(expanded.length).toBeGreaterThan(0);
      const triples: string = await jsonld.toRDF(JSON.parse(text), { ...options, format: "application/n-quads" });
      expect(triples.split("\n").length).toBeGreaterThan(8);
      expect(triples).toContain(`/id/${id}`);
    }
  }
});

test("an independent validator accepts the crates of every type of entry @all @desktop", async ({ cairn, request }) => {
  const online = globalThis.fetch;
  globalThis.fetch = () => Promise.resolve(Response.json(crateContext));
  const { validate }: { validate: (crate: object, files: object) => Promise<Finding[]> } = load("ro-crate/lib/validator");
  globalThis.fetch = online;
  const errorsIn = async (crate: object) => (await validate(crate, {})).filter(({ status }) => status !== "success");
  for (const type of types) {
    const id = (await entryPath(cairn, type)).split("/").at(-1);
    const crate: { "@graph": Record<string, unknown>[] } = await (
      await request.get(`${cairn.url}/api/v1/rf/resources/public/${id}/export/rocrate`)
    ).json();
    expect(await errorsIn(crate)).toEqual([]);
    const root = crate["@graph"].find((node) => node["@id"] === "./");
    delete root?.license;
    expect(await errorsIn(crate)).toMatchObject([{ id: "licenseRequired", status: "error" }]);
  }
});

test("an independent harvester reads the whole catalog @all @desktop", async ({ cairn, request }) => {
  const { OaiPmh } = load("oai-pmh");
  const harvester = new OaiPmh(`${cairn.url}/oai`);
  expect(await harvester.identify()).toMatchObject({ protocolVersion: "2.0", deletedRecord: "persistent", baseURL: `${cairn.url}/oai` });
  expect(await harvester.listMetadataFormats()).toHaveLength(2);
  const { totalElements } = await (await request.get(`${cairn.url}/api/v1/rf/resources/public?pageSize=1`)).json();
  for (const metadataPrefix of ["oai_dc", "oai_datacite"]) {
    const found = new Set<string>();
    for await (const { header, metadata } of harvester.listRecords({ metadataPrefix })) {
      found.add(header.identifier);
      expect(metadata).toBeTruthy();
    }
    expect(found.size).toBe(totalElements);
    const [identifier = ""] = found;
    expect((await harvester.getRecord(identifier, metadataPrefix)).header.identifier).toBe(identifier);
  }
  const sets: string[] = [];
  for await (const { setSpec } of harvester.listSets()) sets.push(setSpec);
  let counted = 0;
  for (const set of sets) for await (const header of harvester.listIdentifiers({ metadataPrefix: "oai_dc", set })) counted += header.setSpec === set ? 1 : 0;
  expect(counted).toBe(totalElements);
});
