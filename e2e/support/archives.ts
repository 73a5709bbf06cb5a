import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Program, startProgram } from "./program";
import { CairnServer } from "./server";

const binary = process.env.CAIRN_E2E_ARCHIVES ?? fileURLToPath(new URL("../../bin/e2e-archives", import.meta.url));

/** What the archives accept. */
export const archiveToken = "token-of-jane";

/** The archives at which people deposit. */
export type DepositArchive = "zenodo" | "inveniordm";

/** A draft or a record, with the texts of its files by their names. */
export interface StoredDeposit {
  id: string;
  doi: string;
  published: boolean;
  metadata: Record<string, unknown>;
  files: Record<string, string>;
}

/** A record that nobody deposited: an Item of archivestest, with contents in base64. */
export interface PublishedRecord {
  Title: string;
  Description?: string;
  License?: string;
  Version?: string;
  Published?: string;
  People?: { Name: string; ORCID?: string; Affiliation?: string }[];
  Keywords?: string[];
  Files: { Path: string; Data: string }[];
  /** Only a Dataverse needs it. */
  DOI?: string;
}

const labels: Record<DepositArchive, string> = { zenodo: "Zenodo", inveniordm: "Archive of the institute" };

/** The stand-ins for research archives and doi.org; see e2e/archives. */
export class Archives {
  readonly #program: Program;
  #addresses: Record<DepositArchive | "figshare" | "dataverse" | "doi", string>;

  private constructor(program: Program) {
    this.#program = program;
    this.#addresses = { zenodo: "", inveniordm: "", figshare: "", dataverse: "", doi: "" };
  }

  static async start(): Promise<Archives> {
    const archives = new Archives(await startProgram(binary, [], /^Archives at (\S+)\n/m));
    archives.#addresses = await archives.#call("GET", "/test/addresses");
    return archives;
  }

  /** All addresses by name. */
  get addresses(): Readonly<Record<DepositArchive | "figshare" | "dataverse" | "doi", string>> {
    return this.#addresses;
  }

  /** Starts a demo server that deposits at these archives and looks up DOIs here; its configuration is written into the folder. */
  async startCairn(folder: string, at: DepositArchive[] = ["zenodo"]): Promise<CairnServer> {
    const config = join(folder, `archives-${new URL(this.#program.address).port}.yaml`);
    const { figshare, dataverse, doi } = this.#addresses;
    const lines = at.map((name) => `  - {name: ${name}, label: ${labels[name]}, kind: ${name}, url: "${this.#addresses[name]}"}\n`);
    await writeFile(
      config,
      `outgoing: {allow: [127.0.0.0/8]}
archives:
${lines.join("")}sources: {doi_url: "${doi}", figshare_url: "${figshare}", dataverse: ["${dataverse}"]}
`,
    );
    return CairnServer.start({ flags: ["--config", config] });
  }

  /** All drafts and records, the oldest first. */
  deposits(at: DepositArchive = "zenodo"): Promise<StoredDeposit[]> {
    return this.#call("GET", `/test/deposits/${at}`);
  }

  /** Publishes a record that nobody deposited, and returns its DOI. */
  async publish(at: DepositArchive | "figshare" | "dataverse", record: PublishedRecord): Promise<string> {
    return (await this.#call<{ doi: string }>("POST", `/test/records/${at}`, record)).doi;
  }

  /** Answers the next calls with 429. */
  async limit(at: DepositArchive, calls: number): Promise<void> {
    await this.#call("POST", `/test/limit/${at}`, calls);
  }

  async close(): Promise<void> {
    await this.#program.end();
  }

  async #call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await fetch(this.#program.address + path, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`The archives answered ${answer.status} to ${method} ${path}: ${await answer.text()}`);
    return answer.json();
  }
}
