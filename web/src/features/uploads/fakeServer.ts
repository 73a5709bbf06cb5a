/** An upload of the server. */
interface Upload {
  id: string;
  length: number;
  received: number;
  metadata: Record<string, string>;
}

interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** A server of resumable uploads in memory, which answers the requests of a browser. */
export class FakeServer {
  uploads: Upload[] = [];
  /** The requests, with the ids and offsets in them. */
  readonly log: string[] = [];
  /** Answers for the next requests, in the place of the server's own. */
  readonly answers: Answer[] = [];
  /** Requests with content wait for release(). */
  held = false;
  offline = false;
  /** More bytes than these never get an answer. */
  limit = Number.POSITIVE_INFINITY;
  /** Whether a token is valid. */
  accepts = (_authorization: string): boolean => true;
  mostAtOnce = 0;
  readonly request: typeof XMLHttpRequest;
  #atOnce = 0;
  #made = 0;
  readonly #waiting: (() => void)[] = [];
  readonly #endpoint: string;

  constructor(endpoint: string) {
    this.#endpoint = endpoint;
    const handle = (request: FakeRequest) => this.#handle(request);
    this.request = class extends FakeRequest {
      override handle = handle;
    } as unknown as typeof XMLHttpRequest;
  }

  remove(id: string): void {
    this.uploads = this.uploads.filter((each) => each.id !== id);
  }

  release(): void {
    this.held = false;
    for (const go of this.#waiting.splice(0)) go();
  }

  async #handle(request: FakeRequest): Promise<Answer | undefined> {
    const { method, url, headers, body } = request;
    if (this.offline) return undefined;
    const id = url.slice(this.#endpoint.length + 1);
    const offset = headers.get("upload-offset");
    this.log.push([method, id, offset].filter(Boolean).join(" "));
    if (!this.accepts(headers.get("authorization") ?? "")) return { status: 401 };
    const given = this.answers.shift();
    if (given) return given;
    if (method === "POST") return this.#create(headers);
    const upload = this.uploads.find((each) => each.id === id);
    if (!upload) return { status: 404 };
    if (method === "HEAD") return { status: 200, headers: offsetOf(upload) };
    if (Number(offset) !== upload.received) return { status: 409 };
    this.#atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#atOnce);
    if (this.held) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#atOnce -= 1;
    const size = body?.size ?? 0;
    if (request.aborted) return undefined;
    if (upload.received + size > this.limit) return new Promise(() => {});
    upload.received += size;
    return { status: 204, headers: offsetOf(upload) };
  }

  #create(headers: Map<string, string>): Answer {
    this.#made += 1;
    const id = String(this.#made);
    const metadata = Object.fromEntries(
      (headers.get("upload-metadata") ?? "").split(",").map((pair) => {
        const [name = "", value = ""] = pair.split(" ");
        return [name, Buffer.from(value, "base64").toString()];
      }),
    );
    this.uploads.push({ id, length: Number(headers.get("upload-length")), received: 0, metadata });
    return { status: 201, headers: { location: `${this.#endpoint}/${id}` } };
  }
}

const offsetOf = ({ received, length }: Upload) => ({
  "upload-offset": String(received),
  "upload-length": String(length),
});

/** What is used of a browser's XMLHttpRequest. */
class FakeRequest {
  method = "";
  url = "";
  body: Blob | null = null;
  aborted = false;
  status = 0;
  responseText = "";
  readonly headers = new Map<string, string>();
  readonly upload: { onprogress?: (event: { loaded: number }) => void } = {};
  onload = () => {};
  onerror = (_error: unknown) => {};
  onabort = () => {};
  handle: (request: FakeRequest) => Promise<Answer | undefined> = async () => undefined;
  #answered: Record<string, string> = {};

  open(method: string, url: string): void {
    Object.assign(this, { method, url });
  }

  setRequestHeader(name: string, value: string): void {
    this.headers.set(name.toLowerCase(), value);
  }

  getResponseHeader(name: string): string | null {
    return this.#answered[name.toLowerCase()] ?? null;
  }

  send(body: Blob | null): void {
    this.body = body;
    void this.handle(this).then((answer) => {
      if (this.aborted) return;
      if (!answer) return this.onerror(new Error());
      this.upload.onprogress?.({ loaded: body?.size ?? 0 });
      this.status = answer.status;
      this.#answered = answer.headers ?? {};
      this.responseText = answer.body === undefined ? "" : JSON.stringify(answer.body);
      this.onload();
    });
  }

  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    this.onabort();
  }
}
