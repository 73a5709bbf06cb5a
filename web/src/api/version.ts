import { useSearchParams } from "@/ui/router";

/** A version of an entry, as addresses name it; undefined for the latest one. */
export type Version = string | undefined;

/** The version that the page's address names. The server says whether there is one. */
export const useVersion = (): Version => useSearchParams()[0].get("version") || undefined;

/** The query of a call that reads an entry. The contract says once for all such calls that they take a version. */
export const inVersion = (version: Version) => (version === undefined ? {} : { version });

/** The parameters of a call that reads an entry in a version. */
export function ofVersion(id: string, version: Version): { path: { id: string } };
export function ofVersion<Query>(id: string, version: Version, query: Query): { path: { id: string }; query: Query };
export function ofVersion(id: string, version: Version, query: object = {}) {
  return { path: { id }, query: { ...query, ...inVersion(version) } };
}
