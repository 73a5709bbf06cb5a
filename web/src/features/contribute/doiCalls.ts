import { addressOf } from "@/api/client";
import { transport } from "@/api/transport";
import type { ArchivedRecord, Resource } from "@/api/types";
import type { fieldsOf } from "./entryDraft";

/** How long an archive may take, in milliseconds: the server gives it 30 seconds for each of its answers. */
const patience = 60_000;

/** What an archive has under a DOI. */
export async function findDoi(doi: string, signal: AbortSignal): Promise<ArchivedRecord> {
  const address = addressOf("/api/v1/rf/sources/doi/{doi}", { path: { doi } });
  return (await transport(new Request(address, { signal }), patience)).json();
}

/** Adds a dataset that is what an archive has under a DOI. */
export async function addByDoi(doi: string, fields: ReturnType<typeof fieldsOf>): Promise<Resource> {
  const body = JSON.stringify({ type: "DATASET", source: doi, ...fields });
  const headers = { "Content-Type": "application/json" };
  const address = addressOf("/api/v1/rf/resources", {});
  return (await transport(new Request(address, { method: "POST", headers, body }), patience)).json();
}
