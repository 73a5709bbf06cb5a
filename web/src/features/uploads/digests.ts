/** What the worker is asked. */
export interface DigestWish {
  id: number;
  content: Blob;
}

/** What it answers; without a digest, the content can't be read. */
export interface DigestAnswer {
  id: number;
  digest?: string;
}

/** Thrown when content can't be read, because its file was changed, moved or deleted after somebody chose it. */
export class Unreadable extends Error {}

/** Computes the SHA-256 of files in a thread of its own, one after another. */
export class Digests {
  #worker: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #number = 0;

  /** The digest in hexadecimal digits; undefined if the thread can't run. */
  of(content: Blob): Promise<string | undefined> {
    const next = this.#last.then(() => this.#compute(content));
    this.#last = next.catch(() => {});
    return next;
  }

  #compute(content: Blob): Promise<string | undefined> {
    this.#worker ??= new Worker(new URL("./digest.worker.ts", import.meta.url), { type: "module" });
    const worker = this.#worker;
    this.#number += 1;
    const id = this.#number;
    return new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<DigestAnswer>) => {
        if (data.id !== id) return;
        if (data.digest === undefined) reject(new Unreadable());
        else resolve(data.digest);
      };
      worker.onerror = () => resolve(undefined);
      worker.postMessage({ id, content } satisfies DigestWish);
    });
  }

  /** Ends the thread. It starts again when it is needed. */
  close(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#last = Promise.resolve();
  }
}
