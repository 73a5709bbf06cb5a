import type { Adapter, AdapterPayload } from "oidc-provider";

/** The provider's storage. The library reads it for every request, so tests may remove records. */
export class Memory {
  /** The sign-ins that asked for offline_access, by their code challenges. */
  readonly offline = new Set<unknown>();
  readonly #kinds = new Map<string, Map<string, AdapterPayload>>();

  /** The library's records of a kind, such as "Session", by id. */
  of(kind: string): Map<string, AdapterPayload> {
    const records = this.#kinds.get(kind) ?? new Map<string, AdapterPayload>();
    this.#kinds.set(kind, records);
    return records;
  }

  /** The library's adapter for one kind of record. Records don't expire, because no provider runs that long. */
  readonly adapter = (kind: string): Adapter => {
    const records = this.of(kind);
    return {
      upsert: async (id, record) => void records.set(id, record),
      find: async (id) => records.get(id),
      findByUid: async (uid) => [...records.values()].find((record) => record.uid === uid),
      findByUserCode: async () => {},
      consume: async (id) => void Object.assign(records.get(id) ?? {}, { consumed: Math.floor(Date.now() / 1000) }),
      destroy: async (id) => void records.delete(id),
      revokeByGrantId: async (grant) => {
        for (const [id, { grantId }] of records) if (grantId === grant) records.delete(id);
      },
    };
  };
}
