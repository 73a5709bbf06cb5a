import type { PreviousUpload, UrlStorage } from "tus-js-client";

const prefix = "cairn.upload ";

/** Milliseconds after which the server has surely deleted an upload that nothing was added to. */
const longest = 8 * 86_400_000;

interface Kept {
  url: string;
  at: number;
}

/** Keeps the addresses of uploads by their fingerprints, for later visits. Without a storage, uploads begin anew then. */
export class KeptUploads implements UrlStorage {
  readonly #storage: Storage | undefined;

  constructor(storage: Storage | undefined, now = Date.now()) {
    this.#storage = storage;
    for (const [key, { at }] of this.#all()) if (now - at > longest) this.#remove(key);
  }

  async findAllUploads(): Promise<PreviousUpload[]> {
    return this.#all().map(([key, kept]) => previous(key, kept));
  }

  async findUploadsByFingerprint(fingerprint: string): Promise<PreviousUpload[]> {
    return (await this.findAllUploads()).filter(({ urlStorageKey }) => urlStorageKey === prefix + fingerprint);
  }

  async removeUpload(key: string): Promise<void> {
    this.#remove(key);
  }

  async addUpload(fingerprint: string, { uploadUrl }: PreviousUpload): Promise<string> {
    const key = prefix + fingerprint;
    try {
      if (uploadUrl) this.#storage?.setItem(key, JSON.stringify({ url: uploadUrl, at: Date.now() } satisfies Kept));
    } catch {
      // It is full: this upload can't be continued in another visit.
    }
    return key;
  }

  forget(fingerprint: string): void {
    this.#remove(prefix + fingerprint);
  }

  /** Forgets an upload by its id, with which its address ends. */
  forgetId(id: string): void {
    for (const [key, { url }] of this.#all()) if (url.endsWith(`/${id}`)) this.#remove(key);
  }

  #remove(key: string): void {
    try {
      this.#storage?.removeItem(key);
    } catch {
      // Nothing is stored then.
    }
  }

  #all(): [key: string, Kept][] {
    try {
      const storage = this.#storage;
      const keys = Array.from({ length: storage?.length ?? 0 }, (_, at) => storage?.key(at) ?? "");
      return keys
        .filter((key) => key.startsWith(prefix))
        .map((key) => [key, JSON.parse(storage?.getItem(key) ?? "{}") as Kept]);
    } catch {
      return [];
    }
  }
}

function previous(urlStorageKey: string, { url, at }: Kept): PreviousUpload {
  const creationTime = new Date(at).toString();
  return { size: null, metadata: {}, creationTime, urlStorageKey, uploadUrl: url, parallelUploadUrls: null };
}
