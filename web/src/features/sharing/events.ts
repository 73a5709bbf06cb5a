/** A server-sent event. */
export interface ServerEvent {
  event: string;
  data: string;
}

/**
 * Reads the events of a stream as they come, in the format of EventSource, which sends no headers and so no token. It
 * ends with the stream, and throws after so many milliseconds without a byte.
 */
export async function* readEvents(stream: ReadableStream<Uint8Array>, patience: number): AsyncGenerator<ServerEvent> {
  const reader = stream.getReader();
  const text = new TextDecoder();
  const parser = new EventParser();
  try {
    for (;;) {
      const { done, value } = await inTime(reader.read(), patience);
      if (done) return;
      yield* parser.read(text.decode(value, { stream: true }));
    }
  } finally {
    // Also when nobody wants more of them. Who waits for nothing needn't wait for that.
    void reader.cancel().catch(() => {});
  }
}

function inTime<Value>(promise: Promise<Value>, patience: number): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DOMException("", "TimeoutError")), patience);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Takes a stream of events apart, which comes in any pieces. */
export class EventParser {
  #rest = "";
  #event = "";
  #data: string[] = [];
  /** The last piece ended with a carriage return, to which a line feed may belong. */
  #returned = false;

  /** Returns the events that this piece completes. */
  read(piece: string): ServerEvent[] {
    const next = this.#returned && piece.startsWith("\n") ? piece.slice(1) : piece;
    if (piece !== "") this.#returned = piece.endsWith("\r");
    const lines = (this.#rest + next).split(/\r\n|\n|\r/);
    this.#rest = lines.pop() ?? "";
    return lines.flatMap((line) => this.#line(line));
  }

  #line(line: string): ServerEvent[] {
    if (line === "") {
      const done = { event: this.#event || "message", data: this.#data.join("\n") };
      const empty = this.#data.length === 0;
      this.#event = "";
      this.#data = [];
      return empty ? [] : [done];
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.#event = value;
    if (field === "data") this.#data.push(value);
    return [];
  }
}
