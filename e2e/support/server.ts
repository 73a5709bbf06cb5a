import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePorts } from "./ports";
import { endProcesses, processesBelow } from "./processes";

export const binary = process.env.CAIRN_BINARY ?? fileURLToPath(new URL("../../bin/cairn", import.meta.url));
/** No test contacts GitHub, whose repositories change, or DataCite. Tests that need them start a stand-in. */
const noGitHub = {
  CAIRN_CODEHOST_GITHUB_API_URL: "http://127.0.0.1:1024/api",
  CAIRN_CODEHOST_GITHUB_RAW_URL: "http://127.0.0.1:1024/raw",
  CAIRN_DATACITE_API_URL: "http://127.0.0.1:1024/datacite",
};
const startDeadline = 60_000;
const stopDeadline = 30_000;

/** The tests choose the Jupyter of sessions: the default is the best one that a machine has. */
const notebook = { CAIRN_SESSIONS_JUPYTER: "/usr/bin/jupyter-notebook" };

/** The tests start runs: the schedule's own would take places and processors at any time. */
const noSchedule = { CAIRN_RUNS_EVERY: "never" };

/** Additional flags and environment of the demo server. */
export interface ServerOptions {
  flags?: string[];
  /** A command that runs the server's command, appended as its last arguments; for example nice. */
  within?: string[];
  environment?: Record<string, string>;
}

/** The real binary, serving the demo on free ports with a new data folder. */
export class CairnServer {
  /** The address of the page, without a trailing slash. */
  url = "";
  /** The address of the session origin, or its template, as the server prints it after "Sessions at". */
  sessionUrl = "";
  readonly dataDir: string;
  readonly #options: ServerOptions;
  #process: ChildProcess | undefined;
  #output = "";

  private constructor(dataDir: string, options: ServerOptions) {
    this.dataDir = dataDir;
    this.#options = options;
  }

  static async start(options: ServerOptions = {}): Promise<CairnServer> {
    const server = new CairnServer(await mkdtemp(join(tmpdir(), "cairn-e2e-")), options);
    try {
      const port = await freePorts(2);
      await server.#launch(`127.0.0.1:${port}`, `127.0.0.1:${port + 1}`);
    } catch (error) {
      await server.close().catch(() => {});
      throw error;
    }
    return server;
  }

  /** Everything that the server printed since its first start. */
  get output(): string {
    return this.#output;
  }

  /** Adds entries and projects to the catalog while the server runs. */
  async import(...lines: object[]): Promise<void> {
    const file = join(this.dataDir, "import.jsonl");
    await writeFile(file, lines.map((line) => JSON.stringify(line)).join("\n"));
    await promisify(execFile)(binary, ["import", file, "--data", this.dataDir]);
  }

  /** Runs another command of the binary on the server's data and returns its output. */
  async command(...words: string[]): Promise<string> {
    return (await promisify(execFile)(binary, [...words, "--data", this.dataDir])).stdout;
  }

  /** Makes the server reload its site file. */
  hangUp(): void {
    this.#process?.kill("SIGHUP");
  }

  /** Stops the server like Ctrl-C. Sessions keep running. */
  async stop(): Promise<void> {
    const code = await this.#end("SIGINT");
    if (code !== 0 && code !== undefined) throw new Error(`cairn ended with ${code}\n${this.#output}`);
  }

  /** Kills the server. Sessions keep running. */
  async kill9(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Stops the server if it runs, and starts it again with the same addresses and data. */
  async restart(): Promise<void> {
    await this.stop();
    await this.#launch(new URL(this.url).host, `127.0.0.1:${portOf(this.sessionUrl)}`);
  }

  /**
   * Stops the server and removes its data. It fails if a session's process is left: a test has to delete the sessions it
   * starts, and that must leave nothing. Leftovers are killed first, so that they don't disturb the next test.
   */
  async close(): Promise<void> {
    try {
      await this.stop();
    } finally {
      const left = await processesBelow(this.dataDir);
      endProcesses(left);
      await rm(this.dataDir, { recursive: true, force: true });
      if (left.length > 0) {
        const lines = left.map(({ pid, command }) => `${pid} ${command}`);
        throw new Error(`Processes of sessions are left:\n${lines.join("\n")}`);
      }
    }
  }

  async #launch(listen: string, sessionListen: string): Promise<void> {
    const { flags = [], within = [], environment = {} } = this.#options;
    const [command = binary, ...rest] = [...within, binary];
    const child = spawn(
      command,
      [
        ...[...rest, "serve", "--demo", "--listen", listen, "--session-listen", sessionListen],
        ...["--data", this.dataDir, ...flags],
      ],
      { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...noGitHub, ...notebook, ...noSchedule, ...environment } },
    );
    this.#process = child;
    const earlier = this.#output.length;
    await new Promise<void>((resolve, reject) => {
      const fail = (reason: string) => {
        clearTimeout(deadline);
        reject(new Error(`cairn ${reason}\n${this.#output.slice(earlier)}`));
      };
      const deadline = setTimeout(() => fail(`said no address within ${startDeadline / 1000} s`), startDeadline);
      const read = (text: string) => {
        this.#output += text;
        const said = this.#output.slice(earlier);
        const page = /^Cairn is at (\S+)\n/m.exec(said)?.[1];
        const sessions = /^Sessions at (\S+)\n/m.exec(said)?.[1];
        if (page === undefined || sessions === undefined) return;
        clearTimeout(deadline);
        this.url = page.replace(/\/$/, "");
        this.sessionUrl = sessions.replace(/\/$/, "");
        resolve();
      };
      child.stdout.setEncoding("utf8").on("data", read);
      child.stderr.setEncoding("utf8").on("data", read);
      child.once("error", (error) => fail(`did not start: ${error.message}`));
      child.once("exit", (code, signal) => fail(`ended at once with ${code ?? signal}`));
    });
  }

  async #end(signal: NodeJS.Signals): Promise<number | undefined> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.pid === undefined) return undefined;
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`cairn had ended before, with ${child.exitCode ?? child.signalCode}\n${this.#output}`);
    }
    const exit = once(child, "exit");
    child.kill(signal);
    const deadline = setTimeout(() => child.kill("SIGKILL"), stopDeadline);
    const [code, by] = (await exit) as [number | null, NodeJS.Signals | null];
    clearTimeout(deadline);
    if (signal !== "SIGKILL" && by === "SIGKILL") {
      throw new Error(`cairn did not end within ${stopDeadline / 1000} s of ${signal}\n${this.#output}`);
    }
    return code ?? undefined;
  }
}

function portOf(address: string): string {
  const port = /:(\d+)(?:\/|$)/.exec(address)?.[1];
  if (port === undefined) throw new Error(`"${address}" has no port`);
  return port;
}
