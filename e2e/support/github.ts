import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const binary = process.env.CAIRN_E2E_GITHUB ?? fileURLToPath(new URL("../../bin/e2e-github", import.meta.url));

/** A repository of the stand-in; see internal/codehost/githubtest. */
export interface StandInRepository {
  /** As in owner/name. */
  name: string;
  /** Content by path, on the default branch. */
  files?: Record<string, string>;
  private?: boolean;
}

/** What is answered instead of the truth to requests whose path begins with `path`. */
export interface StandInDisturbance {
  path?: string;
  status?: number;
  header?: Record<string, string>;
  body?: string;
}

/** A stand-in for GitHub on a free port. */
export class GitHubStandIn {
  private constructor(
    readonly url: string,
    readonly process: ChildProcess,
  ) {}

  static async start(): Promise<GitHubStandIn> {
    const child = spawn(binary, [], { stdio: ["ignore", "pipe", "inherit"] });
    const [said] = (await once(child.stdout, "data")) as [Buffer];
    const address = /^GitHub at (\S+)/.exec(said.toString())?.[1];
    if (address === undefined) throw new Error(`the stand-in for GitHub says no address: ${said}`);
    return new GitHubStandIn(address, child);
  }

  /** What Cairn needs in its environment to take this for GitHub. */
  get environment(): Record<string, string> {
    return {
      CAIRN_CODEHOST_GITHUB_API_URL: `${this.url}/api`,
      CAIRN_CODEHOST_GITHUB_RAW_URL: `${this.url}/raw`,
      CAIRN_OUTGOING_ALLOW: "127.0.0.0/8",
    };
  }

  async put(...repositories: StandInRepository[]): Promise<void> {
    await this.#move("repositories", repositories);
  }

  /** Breaks something, and mends what was broken before. */
  async disturb(...disturbances: StandInDisturbance[]): Promise<void> {
    await this.#move("disturb", disturbances);
  }

  async close(): Promise<void> {
    const exit = once(this.process, "exit");
    this.process.kill();
    await exit;
  }

  async #move(lever: string, body: unknown): Promise<void> {
    const answer = await fetch(`${this.url}/test/${lever}`, { method: "POST", body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${lever}: ${answer.status} ${await answer.text()}`);
  }
}
