import { type DetailedError, Upload } from "tus-js-client";
import type { ChosenFile, LeftOutFile } from "./chosenFiles";
import { Unreadable } from "./digests";
import { fingerprintOf } from "./fingerprint";
import type { KeptUploads } from "./keptUploads";
import { isAway, isRepeatable, UploadRequests } from "./requests";
import { divide, pack } from "./tar";

/** What the server takes in one request. Some proxies keep all of it before they pass it on. */
const chunkSize = 16 << 20;

/** More small files than this travel packed, because each upload costs several requests. */
const mostSmallFiles = 20;
const smallSize = 1 << 20;
const packSize = 64 << 20;

const mostAtOnce = 3;

/** Milliseconds before a failed request is repeated, counted anew after each progress. */
const retryDelays = [0, 1_000, 3_000, 5_000];

/** Milliseconds until the next try while the server is away. */
const tryAgain = 20_000;

/**
 * How an upload is: it waits for its turn, it goes on, it waits for the server, somebody paused it, it needs somebody, or the
 * server has all of it.
 */
export type UploadState = "queued" | "uploading" | "away" | "paused" | "failed" | "done";

/** An upload of one file, or of many small ones. */
export interface QueuedUpload {
  /** Its fingerprint. */
  key: string;
  files: readonly ChosenFile[];
  packed: boolean;
  bytes: number;
  /** How many bytes the server has. */
  accepted: number;
  state: UploadState;
  /** Why it failed, or an Unreadable. */
  error?: unknown;
  /** Known once the server has begun it. */
  id?: string;
}

interface QueueOptions {
  /** Tells accounts apart that use one browser. */
  account: string;
  /** What the files are for, such as the id of an entry. */
  target: string;
  kept: KeptUploads;
  digestOf: (content: Blob) => Promise<string | undefined>;
  /** Deletes an upload on the server. */
  remove: (id: string) => Promise<unknown>;
  /** The absolute address of the server's uploads. */
  endpoint: string;
  /** Tells of the network's return. */
  network?: Pick<EventTarget, "addEventListener" | "removeEventListener">;
}

interface Work {
  content: Blob;
  metadata: Record<string, string>;
  digest?: Promise<string | undefined>;
  /** Ends it, while it goes on. */
  stop?: (() => void) | undefined;
}

/** Uploads files, a few at once. Those that an earlier visit has begun continue when the same files are added again. */
export class UploadQueue {
  readonly #options: QueueOptions;
  readonly #network: NonNullable<QueueOptions["network"]>;
  readonly #work = new Map<string, Work>();
  readonly #listeners = new Set<() => void>();
  #uploads: readonly QueuedUpload[] = [];
  #packs = 0;
  #next: ReturnType<typeof setTimeout> | undefined;
  #open = false;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#network = options.network ?? globalThis;
  }

  /** All uploads in the order in which they were added: another list after each change. */
  get = (): readonly QueuedUpload[] => this.#uploads;

  subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  };

  /** Begins, or goes on after close(). */
  open(): void {
    this.#open = true;
    this.#network.addEventListener("online", this.#wake);
    this.#start();
  }

  /** Stops all that goes on. What the server has stays there. */
  close(): void {
    this.#open = false;
    this.#network.removeEventListener("online", this.#wake);
    clearTimeout(this.#next);
    for (const { key, state } of this.#uploads) {
      this.#stop(key);
      if (state === "uploading" || state === "away") this.#change(key, { state: "queued" });
    }
  }

  /** Adds files, and returns those that it leaves out because it has others with their paths. */
  add(files: readonly ChosenFile[]): LeftOutFile[] {
    const known = new Set(this.#uploads.flatMap(({ files: have }) => have.map(({ path }) => path)));
    const leftOut: LeftOutFile[] = [];
    const fresh = files.filter(({ path }) => {
      if (known.has(path)) leftOut.push({ path, reason: "twice" });
      return !known.has(path) && known.add(path);
    });
    const small = fresh.filter(({ file }) => file.size < smallSize);
    const packed = small.length > mostSmallFiles;
    for (const each of packed ? fresh.filter(({ file }) => file.size >= smallSize) : fresh) this.#addFile(each);
    if (packed) this.#addPacks(small);
    this.#start();
    return leftOut;
  }

  #addFile(chosen: ChosenFile): void {
    const { path, file } = chosen;
    this.#append([chosen], false, file, { filename: file.name, path });
  }

  #addPacks(small: readonly ChosenFile[]): void {
    // In one order, the same files make the same packs.
    const files = small
      .map((chosen) => ({ ...chosen, content: chosen.file, modified: chosen.file.lastModified }))
      .sort((one, other) => (one.path < other.path ? -1 : 1));
    for (const part of divide(files, packSize)) {
      this.#packs += 1;
      const name = `files-${this.#packs}.tar`;
      this.#append(part, true, pack(part), { filename: name, path: name, packed: "tar" });
    }
  }

  #append(files: readonly ChosenFile[], packed: boolean, content: Blob, metadata: Record<string, string>): void {
    const { account, target } = this.#options;
    const key = fingerprintOf(account, target, files);
    this.#work.set(key, { content, metadata });
    const upload = { key, files, packed, bytes: content.size, accepted: 0, state: "queued" } as const;
    this.#set([...this.#uploads, upload]);
  }

  /** Pauses one, or all. */
  pause(key?: string): void {
    for (const { key: each, state } of this.#uploads) {
      if ((key !== undefined && key !== each) || state === "done" || state === "failed") continue;
      this.#stop(each);
      this.#change(each, { state: "paused" });
    }
    this.#start();
  }

  /** Goes on with one that is paused or failed, or with all. */
  resume(key?: string): void {
    for (const { key: each, state } of this.#uploads) {
      if ((key !== undefined && key !== each) || (state !== "paused" && state !== "failed")) continue;
      this.#change(each, { state: "queued", error: undefined });
    }
    this.#start();
  }

  /** Takes one out of the list, and deletes what the server has of it. */
  cancel(key: string): void {
    const upload = this.#find(key);
    this.#stop(key);
    this.#work.delete(key);
    this.#options.kept.forget(key);
    this.#set(this.#uploads.filter((each) => each.key !== key));
    // If that fails, it is among the uploads that weren't finished, until it expires.
    if (upload?.id !== undefined) this.#options.remove(upload.id).catch(() => {});
    this.#start();
  }

  /** Uploads again what arrived differently. */
  startOver(ids: readonly string[]): void {
    for (const { key, id } of this.#uploads) {
      if (id === undefined || !ids.includes(id)) continue;
      this.#options.kept.forget(key);
      this.#options.remove(id).catch(() => {});
      const { digest: _, ...work } = this.#work.get(key) as Work;
      this.#work.set(key, work); // without its digest: the file may have changed
      this.#change(key, { state: "queued", accepted: 0, id: undefined });
    }
    this.#start();
  }

  /** The digests of all that is done, by the ids of the uploads. */
  async digests(): Promise<Record<string, string>> {
    const done = this.#uploads.flatMap(({ key, id }) => (id === undefined ? [] : [{ id, key }]));
    const found = await Promise.all(
      done.map(async ({ id, key }) => [id, await this.#work.get(key)?.digest?.catch(() => undefined)] as const),
    );
    return Object.fromEntries(found.flatMap(([id, digest]) => (digest === undefined ? [] : [[id, digest]])));
  }

  /** Empties the list after its uploads were used. */
  forget(): void {
    for (const { key } of this.#uploads) this.#options.kept.forget(key);
    this.#work.clear();
    this.#set([]);
  }

  readonly #wake = () => {
    clearTimeout(this.#next);
    this.#next = undefined;
    for (const { key, state } of this.#uploads) if (state === "away") this.#change(key, { state: "queued" });
    this.#start();
  };

  #start(): void {
    if (!this.#open) return;
    const going = this.#uploads.filter(({ state }) => state === "uploading").length;
    const waiting = this.#uploads.filter(({ state }) => state === "queued");
    for (const { key } of waiting.slice(0, mostAtOnce - going)) {
      this.#change(key, { state: "uploading" });
      void this.#run(key);
    }
  }

  async #run(key: string): Promise<void> {
    const work = this.#work.get(key);
    if (!work) return;
    const { endpoint, kept, digestOf } = this.#options;
    const stopping = new AbortController();
    const stopped = () => stopping.signal.aborted;
    const end = (part: Partial<QueuedUpload>) => {
      if (stopped()) return;
      work.stop = undefined;
      this.#change(key, part);
      this.#start();
    };
    const upload = new Upload(work.content, {
      ...{ endpoint, chunkSize, retryDelays, metadata: work.metadata },
      ...{ urlStorage: kept, httpStack: new UploadRequests(stopping.signal), fileReader: blobReader },
      fingerprint: async () => key,
      onShouldRetry: ({ causingError }) => isRepeatable(causingError) && !stopped(),
      onUploadUrlAvailable: () => {
        if (!stopped() && upload.url) this.#change(key, { id: idOf(upload.url) });
      },
      onAfterResponse: (_request, response) => {
        const offset = Number.parseInt(response.getHeader("Upload-Offset") ?? "", 10);
        if (!stopped() && !Number.isNaN(offset)) this.#change(key, { accepted: offset });
      },
      onSuccess: () => end({ state: "done", accepted: work.content.size }),
      onError: (error) => {
        const reason = (error as DetailedError).causingError ?? error;
        if (isAway(reason)) this.#tryLater();
        end(isAway(reason) ? { state: "away" } : { state: "failed", error: reason });
      },
    });
    work.stop = () => {
      stopping.abort();
      void upload.abort();
    };
    // Browsers don't tell a file that can't be read from a lost connection.
    const unreadable = () => {
      void upload.abort();
      end({ state: "failed", error: new Unreadable() });
      stopping.abort();
    };
    const readable = await work.content
      .slice(0, 1)
      .arrayBuffer()
      .catch(() => undefined);
    if (stopped()) return;
    if (!readable) return unreadable();
    work.digest ??= digestOf(work.content);
    work.digest.catch(() => {
      delete work.digest;
      unreadable();
    });
    const [earlier] = await upload.findPreviousUploads();
    if (stopped()) return;
    if (earlier) upload.resumeFromPreviousUpload(earlier);
    upload.start();
  }

  #stop(key: string): void {
    const work = this.#work.get(key);
    work?.stop?.();
    if (work) work.stop = undefined;
  }

  #tryLater(): void {
    clearTimeout(this.#next);
    this.#next = setTimeout(this.#wake, tryAgain);
  }

  #find(key: string): QueuedUpload | undefined {
    return this.#uploads.find((each) => each.key === key);
  }

  #change(key: string, part: { [Field in keyof QueuedUpload]?: QueuedUpload[Field] | undefined }): void {
    this.#set(this.#uploads.map((each) => (each.key === key ? ({ ...each, ...part } as QueuedUpload) : each)));
  }

  #set(uploads: readonly QueuedUpload[]): void {
    this.#uploads = uploads;
    for (const listener of this.#listeners) listener();
  }
}

/** Reads what is sent from the file when it is sent. */
const blobReader = {
  openFile: async (content: Blob) => ({
    size: content.size,
    slice: async (start: number, end: number) => ({ value: content.slice(start, end), done: end >= content.size }),
    close() {},
  }),
};

/** The id of an upload, with which its address ends. */
function idOf(address: string): string {
  return decodeURIComponent(new URL(address).pathname.split("/").at(-1) ?? "");
}
