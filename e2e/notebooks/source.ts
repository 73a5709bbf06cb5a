import { once } from "node:events";
import { createServer, get, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Returns a notebook of Markdown cells with these texts. */
export function notebookOf(...texts: string[]): string {
  return JSON.stringify({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: { language_info: { name: "julia" }, kernelspec: { name: "julia", display_name: "Julia 1.10" } },
    cells: texts.map((source) => ({ cell_type: "markdown", metadata: {}, source })),
  });
}

type Answer = (response: ServerResponse) => void;

/** Stands in for GitHub's raw files: each path answers as set, others with 404. */
export class RawFiles {
  readonly #answers = new Map<string, Answer>();
  readonly #server = createServer(({ url = "" }, response) => {
    const answer = this.#answers.get(url);
    if (answer) answer(response);
    else response.writeHead(404).end();
  });

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async open(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return this;
  }

  /** Sets the content of a file, or another answer for it; returns the address of its page on GitHub. */
  serve(name: string, content: string | Answer): string {
    const answer: Answer = typeof content === "string" ? (response) => response.end(content) : content;
    this.#answers.set(`/maker/notes/main/${encodeURIComponent(name)}`, answer);
    return `https://github.com/maker/notes/blob/main/${encodeURIComponent(name)}`;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }
}

/** Fetches an address below *.localhost, which browsers resolve to this machine but Node doesn't. */
export async function readFrame(address: string): Promise<{ status: number; headers: IncomingHttpHeaders; body: string }> {
  const { host, port, pathname, search } = new URL(address);
  const request = get({ host: "127.0.0.1", port, path: pathname + search, headers: { Host: host } });
  const [response] = await once(request, "response");
  let body = "";
  for await (const part of response.setEncoding("utf8")) body += part;
  return { status: response.statusCode, headers: response.headers, body };
}
