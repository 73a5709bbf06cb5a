import { fileURLToPath } from "node:url";
import { type Program, startProgram } from "./program";
import { CairnServer } from "./server";

const binary = process.env.CAIRN_E2E_GITHUB ?? fileURLToPath(new URL("../../bin/e2e-github", import.meta.url));

/** A repository of the stand-in. By default it is public, with the branch main. */
export interface StandInRepository {
  /** owner/name */
  name: string;
  /** Content by path, on the default branch. */
  files?: Record<string, string>;
  /** Further branches by name. */
  branches?: Record<string, Record<string, string>>;
  default?: string;
  /** Folders with this number of generated files. */
  many?: Record<string, number>;
  private?: boolean;
  /** Earlier names, which redirect here. */
  former?: string[];
}

/** A fake answer to paths that begin with `path`; see internal/entries/codehost/githubtest. */
export interface Trouble {
  path?: string;
  status?: number;
  header?: Record<string, string>;
  body?: string;
  breakOff?: boolean;
  silent?: boolean;
}

/** The stand-in for GitHub. */
export class GitHub {
  readonly #program: Program;

  private constructor(program: Program) {
    this.#program = program;
  }

  static async start(): Promise<GitHub> {
    return new GitHub(await startProgram(binary, [], /^GitHub at (\S+)\n/m));
  }

  /** Starts a demo server that uses this stand-in as github.com, and as DataCite, whose answers are fake ones. */
  async startCairn(environment: Record<string, string> = {}): Promise<CairnServer> {
    return CairnServer.start({
      environment: {
        CAIRN_CODEHOST_GITHUB_API_URL: `${this.#program.address}/api`,
        CAIRN_CODEHOST_GITHUB_RAW_URL: `${this.#program.address}/raw`,
        CAIRN_DATACITE_API_URL: `${this.#program.address}/datacite`,
        CAIRN_OUTGOING_ALLOW: "127.0.0.0/8",
        ...environment,
      },
    });
  }

  /** Adds repositories, or replaces those of the same names. */
  async put(...repositories: StandInRepository[]): Promise<void> {
    await this.#call("POST", "/test/repositories", repositories);
  }

  /** Replaces the fake answers. */
  async disturb(...troubles: Trouble[]): Promise<void> {
    await this.#call("POST", "/test/disturb", troubles);
  }

  /** Sets the remaining rate limit and the seconds until it is reset. */
  async limit(remaining: number, seconds: number, perHour = 60): Promise<void> {
    await this.#call("POST", "/test/limit", { perHour, remaining, seconds });
  }

  /** Returns the paths that were requested since the last call. */
  async questions(): Promise<string[]> {
    const requests = (await (await this.#call("GET", "/test/requests")).json()) as { path: string }[];
    return requests.map(({ path }) => path);
  }

  async close(): Promise<void> {
    await this.#program.end();
  }

  async #call(method: string, path: string, body?: unknown): Promise<Response> {
    const address = this.#program.address + path;
    const answer = await fetch(address, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
    if (!answer.ok) throw new Error(`The stand-in answered ${answer.status} to ${method} ${path}: ${await answer.text()}`);
    return answer;
  }
}
