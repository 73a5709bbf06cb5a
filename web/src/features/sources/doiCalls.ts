import { addressOf } from "@/api/client";
import { transport } from "@/api/transport";
import type { ArchivedRecord, Resource } from "@/api/types";
import { type Made, made } from "@/features/uploads/queries";

/** How long an archive may take, in milliseconds: the server gives it 30 seconds for each of its answers. */
const patience = 60_000;

/** What an archive has under a DOI. */
export async function findDoi(doi: string, signal: AbortSignal): Promise<ArchivedRecord> {
  const address = addressOf("/api/v1/rf/sources/doi/{doi}", { path: { doi } });
  return (await transport(new Request(address, { signal }), patience)).json();
}

/** What an archive's files become: data that sessions fetch, or code that the server fetches and keeps. */
export type SourceType = "DATASET" | "REPOSITORY";

/** Adds an entry that is what an archive has under a DOI. */
export async function addByDoi(doi: string, type: SourceType, fields: object): Promise<Made<Resource>> {
  const body = JSON.stringify({ ...fields, type, source: doi });
  const headers = { "Content-Type": "application/json" };
  const address = addressOf("/api/v1/rf/resources", {});
  return made(await transport(new Request(address, { method: "POST", headers, body }), patience));
}
