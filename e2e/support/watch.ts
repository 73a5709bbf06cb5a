import { type BrowserContext, expect } from "@playwright/test";
import type { CairnServer } from "./server";

/** Jupyter requests an extension that Debian doesn't ship, and continues without it. */
const jupyterWidgets = /nbextensions\/widgets\/notebook\/js\/extension\.js/;

/** Notebook frames block all script, including what this file and Playwright inject into every document. */
const ownScript = /^console: Blocked script execution in 'https?:\/\/n-[0-9a-f-]{36}\./;

/** Repositories on GitHub have no files unless a test starts a stand-in: see CairnServer. */
const filesOfGitHub = /status of 502 .*\/resources\/public\/[0-9a-f-]{36}\/files\?path=/;

/**
 * Problems that don't show on a page: script errors, violations of the security policy, and requests to hosts other than
 * the page's and the sessions'. A test fails on each that it didn't announce.
 */
export class Watch {
  readonly #found: string[] = [];
  readonly #foreign: string[] = [];
  readonly #visited = new Set<string>();
  readonly #expected = [jupyterWidgets, filesOfGitHub, ownScript];

  /** Watches every page of the context, including future ones. */
  async attach(context: BrowserContext, cairn: CairnServer): Promise<void> {
    const { host, port } = sessionHosts(cairn.sessionUrl);
    context.on("request", (request) => {
      const address = new URL(request.url());
      if (!/^(https?|wss?):$/.test(address.protocol) || request.url().startsWith(`${cairn.url}/`)) return;
      if (this.#visited.has(address.origin)) return;
      if (address.hostname.endsWith(".vscode.invalid")) return; // what webviews of VS Code call their own files, and leads nowhere else
      if (!host.test(address.hostname) || address.port !== port) this.#foreign.push(request.url());
    });
    context.on("console", (message) => {
      if (message.type() === "error") this.#note("console", message.text(), message.location().url);
    });
    context.on("weberror", (error) => this.#note("script", error.error().message, error.page()?.url()));
    await context.exposeBinding("tellOfViolation", ({ page }, violation: string) => {
      this.#note("policy", violation, page.url());
    });
    await context.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (violation) => {
        const { tellOfViolation } = window as unknown as { tellOfViolation: (text: string) => void };
        tellOfViolation(`${violation.effectiveDirective} refused ${violation.blockedURI}`);
      });
    });
  }

  /** Announces an expected error. The pattern is matched against the line that the failure would show. */
  expects(...lines: RegExp[]): void {
    this.#expected.push(...lines);
  }

  /** Announces that the browser is sent to another server, whose own pages aren't watched. */
  visits(url: string): void {
    this.#visited.add(new URL(url).origin);
    this.expects(new RegExp(url.replaceAll(".", "\\.")));
  }

  /** Waits for an announced error. */
  async saw(line: RegExp): Promise<void> {
    await expect.poll(() => this.#found.join("\n"), "errors in the browser").toMatch(line);
  }

  /** Fails if there was an unexpected problem. */
  assertQuiet(): void {
    expect(this.#foreign, "requests to other hosts").toEqual([]);
    const surprises = this.#found.filter((line) => !this.#expected.some((expected) => expected.test(line)));
    expect(surprises, "errors in the browser").toEqual([]);
  }

  #note(kind: "console" | "script" | "policy", text: string, address = "?") {
    this.#found.push(`${kind}: ${text} (${address})`);
  }
}

/** The hosts of sessions and notebook frames, from the template that the server prints. */
function sessionHosts(template: string): { host: RegExp; port: string } {
  const { hostname, port } = new URL(template.replace("{kind}", "kind").replace("{id}", "id"));
  const pattern = hostname.replaceAll(".", "\\.").replace("kind-id", "[sn]-[0-9a-f-]{36}");
  return { host: new RegExp(`^${pattern}$`), port };
}
