import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, open, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePorts } from "./ports";
import { PackageIndex } from "./package-index";
import { endProcesses, processesBelow } from "./processes";
import { binary } from "./server";

const configuration = fileURLToPath(new URL("../../deploy/jupyterhub/jupyterhub_config.py", import.meta.url));
const deadline = 60_000;

/** A real JupyterHub with the repository's configuration, on free loopback ports. */
export class Hub {
  readonly folder: string;
  readonly url: string;
  readonly #port: number;
  #process: ChildProcess | undefined;
  #index: PackageIndex | undefined;

  private constructor(folder: string, port: number) {
    this.folder = folder;
    this.#port = port;
    this.url = `http://127.0.0.1:${port}`;
  }

  static async start(): Promise<Hub> {
    const hub = new Hub(await mkdtemp(join(tmpdir(), "cairn-hub-")), await freePorts(4));
    for (const name of ["root", "state"]) await mkdir(join(hub.folder, name));
    await writeFile(join(hub.folder, "token"), "the-token-of-the-tests-service", { mode: 0o600 });
    hub.#index = await PackageIndex.start(join(hub.folder, "index"));
    await hub.#launch();
    return hub;
  }

  /** Writes a Cairn configuration with this hub and this machine as engines; returns the file. */
  async cairnConfig(): Promise<string> {
    const file = join(this.folder, "cairn.yaml");
    const hub = `{name: hub, label: Cluster of the lab, kind: jupyterhub, url: "${this.url}", token_file: ${this.folder}/token}`;
    await writeFile(file, `sessions:\n  engines:\n    - ${hub}\n    - {name: local, label: This server, kind: local}\n`);
    return file;
  }

  /** Makes the datasets in a folder available to sessions. */
  async share(folder: string): Promise<void> {
    await symlink(folder, join(this.folder, "data"));
  }

  /** Kills the hub and starts it again; sessions keep running. */
  async crash(): Promise<void> {
    await this.#kill();
    await this.#launch();
  }

  /** The command lines of the processes in sessions. */
  async sessions(): Promise<string[]> {
    return (await processesBelow(join(this.folder, "root")))
      .map(({ command }) => command)
      .filter((command) => command.includes("/session/server.py") || command.includes("ipykernel"));
  }

  /** Stops the hub and everything it started, and removes its folder. */
  async close(): Promise<void> {
    const left = await this.sessions();
    await this.#kill();
    this.#index?.close();
    endProcesses(await processesBelow(this.folder));
    await rm(this.folder, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`Processes of sessions are left:\n${left.join("\n")}`);
  }

  async #kill(): Promise<void> {
    const hub = this.#process;
    this.#process = undefined;
    if (hub === undefined || hub.exitCode !== null || hub.signalCode !== null) return;
    const exit = once(hub, "exit");
    hub.kill("SIGKILL");
    await exit;
  }

  async #launch(): Promise<void> {
    const log = await open(join(this.folder, "hub.log"), "a");
    const hub = spawn("/usr/bin/jupyterhub", ["-f", configuration], {
      cwd: join(this.folder, "state"),
      stdio: ["ignore", log.fd, log.fd],
      env: {
        ...{ PATH: "/usr/bin:/bin", HOME: this.folder, LANG: "C.UTF-8", PYTHONDONTWRITEBYTECODE: "1", CAIRN_POLL: "1" },
        ...{ CAIRN_HUB_TOKEN_FILE: join(this.folder, "token"), CONFIGPROXY_AUTH_TOKEN: "the-token-of-the-proxy" },
        ...{ CAIRN_ROOT: join(this.folder, "root"), CAIRN_HUB_STATE: join(this.folder, "state") },
        ...{ CAIRN_DATA_ROOT: join(this.folder, "data"), CAIRN_HUB_PORT: String(this.#port), CAIRN_ALLOW: "127.0.0.0/8" },
        ...{ CAIRN_PIP_INDEX_URL: this.#index?.url ?? "", CAIRN_PROGRAM: binary, CAIRN_VERSIONS_EVERY: "10s" },
      },
    });
    this.#process = hub;
    await log.close();
    for (const end = Date.now() + deadline; ; ) {
      const answer = await fetch(`${this.url}/hub/api/`).catch(() => undefined);
      if (answer?.ok) return;
      if (hub.exitCode !== null || Date.now() > end) {
        throw new Error(`JupyterHub isn't responding\n${await readFile(join(this.folder, "hub.log"), "utf8")}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
