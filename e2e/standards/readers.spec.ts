import { createRequire } from "node:module";
import { entryPath } from "../budget/routes";
import { expect, test } from "../support/test";
import { type Crate, errorsIn, exportOf, formsOf, readLinks, readTriples } from "./readers";

/* What others use to read links, crates, JSON-LD and harvests accepts what this server says. */

const load = createRequire(import.meta.url);

const types = ["NOTEBOOK", "DATASET", "REPOSITORY", "MODEL"] as const;

test("an independent parser reads the links of every type of entry @all @desktop", async ({ cairn, request }) => {
  for (const type of types) {
    const refs = await readLinks(request, cairn.url, await entryPath(cairn, type));
    const named = (relation: string) => refs.filter(({ rel }) => rel === relation);
    expect(named("cite-as")).toHaveLength(1);
    expect(named("linkset")).toHaveLength(1);
    expect(named("type")).toHaveLength(2);
    expect(named("describedby").length).toBeGreaterThan(7);
  }
});

test("an independent processor understands the JSON-LD of every type of entry @all @desktop", async ({ cairn, request }) => {
  for (const type of types) {
    const path = await entryPath(cairn, type);
    const id = path.split("/").at(-1);
    const page = await (await request.get(cairn.url + path)).text();
    const head = /<script type="application\/ld\+json"[^>]*>(.*?)<\/script>/s.exec(page)?.[1] ?? "";
    const texts = [head];
    for (const form of formsOf(type)) texts.push(await (await request.get(exportOf(cairn.url, id, form))).text());
    for (const text of texts) {
      const triples = await readTriples(text, cairn.url);
      expect(triples.split("\n").length).toBeGreaterThan(8);
      expect(triples).toContain(`/id/${id}`);
    }
  }
});

test("an independent validator accepts the crates of every type of entry @all @desktop", async ({ cairn, request }) => {
  for (const type of types) {
    const id = (await entryPath(cairn, type)).split("/").at(-1);
    const crate: Crate = await (await request.get(exportOf(cairn.url, id, "rocrate"))).json();
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
