import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePorts } from "./ports";

const program = process.env.GITEA_BINARY ?? fileURLToPath(new URL("../../bin/tools/gitea", import.meta.url));
export const giteaPassword = "a-long-enough-one";
const run = promisify(execFile);

/** A real Gitea on this machine, with one operator. `make bin/tools/gitea` builds it. */
export class Gitea {
  readonly url: string;
  readonly #folder: string;
  readonly #config: string;
  #process: ChildProcess | undefined;
  #token = "";

  private constructor(url: string, folder: string) {
    this.url = url;
    this.#folder = folder;
    this.#config = join(folder, "app.ini");
  }

  static async start(): Promise<Gitea> {
    const port = await freePorts(1);
    const gitea = new Gitea(`http://127.0.0.1:${port}`, await mkdtemp(join(tmpdir(), "gitea-e2e-")));
    await gitea.#launch(port);
    return gitea;
  }

  async #launch(port: number): Promise<void> {
    const internal = await this.#run("generate", "secret", "INTERNAL_TOKEN");
    const jwt = await this.#run("generate", "secret", "JWT_SECRET");
    const settings = `RUN_MODE = prod
RUN_USER = root
I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true
WORK_PATH = ${this.#folder}
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${port}
ROOT_URL = ${this.url}/
STATIC_ROOT_PATH = ${program}-files
APP_DATA_PATH = ${this.#folder}/data
OFFLINE_MODE = true
DISABLE_SSH = true
[database]
DB_TYPE = sqlite3
PATH = ${this.#folder}/gitea.db
[repository]
ROOT = ${this.#folder}/repositories
[security]
INSTALL_LOCK = true
SECRET_KEY = a-key-of-this-test
INTERNAL_TOKEN = ${internal}
PASSWORD_HASH_ALGO = pbkdf2_v2
[oauth2]
JWT_SECRET = ${jwt}
[service]
DISABLE_REGISTRATION = true
[indexer]
REPO_INDEXER_ENABLED = false
[log]
LEVEL = Warn
`;
    await writeFile(this.#config, settings, { mode: 0o600 });
    await this.#run("migrate", "-c", this.#config);
    const who = ["--username", "lab", "--password", giteaPassword, "--email", "lab@example.org", "--admin"];
    await this.#run("admin", "user", "create", "-c", this.#config, ...who, "--must-change-password=false");
    this.#token = await this.token("lab", "all");
    this.#process = spawn(program, ["web", "-c", this.#config], { stdio: "ignore", env: this.#environment });
    while (!(await fetch(`${this.url}/api/healthz`).catch(() => undefined))?.ok) await wait(200);
  }

  get #environment(): NodeJS.ProcessEnv {
    return { ...process.env, HOME: this.#folder };
  }

  async #run(...words: string[]): Promise<string> {
    const { stdout } = await run(program, words, { env: this.#environment });
    return stdout.trim().split("\n").at(-1) ?? "";
  }

  /** Adds a person, who signs in with giteaPassword. */
  async addPerson(login: string): Promise<void> {
    const who = ["--username", login, "--password", giteaPassword, "--email", `${login}@example.org`];
    await this.#run("admin", "user", "create", "-c", this.#config, ...who, "--must-change-password=false");
  }

  /** Makes a personal token of somebody. */
  async token(login: string, scopes: string): Promise<string> {
    const name = `t${Math.random()}`;
    const words = ["--username", login, "--token-name", name, "--scopes", scopes, "--raw"];
    return this.#run("admin", "user", "generate-access-token", "-c", this.#config, ...words);
  }

  /** Calls the API as the operator. */
  async call<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.#token}`, "Content-Type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text ? JSON.parse(text) : undefined) as T;
  }

  async end(): Promise<void> {
    if (this.#process && this.#process.exitCode === null) {
      const exit = once(this.#process, "exit");
      this.#process.kill();
      await exit;
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}
