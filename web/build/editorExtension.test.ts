import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

type Listener = (event: object) => void;

// VS Code loads it as a CommonJS module, which finds the API under the name "vscode".
const source = readFileSync(
  new URL("../../internal/sessions/engine/vscodeprogram/extension/extension.js", import.meta.url),
  "utf8",
);

/** The parts of VS Code's API that the extension uses; tell raises an event that it subscribed to. */
function editor() {
  const listeners = new Map<string, Listener>();
  const parts = {
    createStatusBarItem: () => ({ show() {}, hide() {}, dispose() {} }),
    tabGroups: { all: [] },
    getConfiguration: () => ({ get: (name: string) => (name === "session" ? "the-session" : undefined) }),
    registerCommand: () => ({ dispose() {} }),
    activeDebugSession: undefined as object | undefined,
  };
  const window = new Proxy(parts, {
    get: (target, name: string) => {
      if (!name.startsWith("onDid")) return target[name as keyof typeof target];
      return (listener: Listener) => {
        listeners.set(name, listener);
        return { dispose: () => listeners.delete(name) };
      };
    },
  });
  const api = { window, workspace: window, debug: window, commands: window, StatusBarAlignment: {} };
  const tell = (name: string, event: object = {}) => listeners.get(name)?.(event);
  return { api, tell, parts };
}

let subscriptions: { dispose: () => void }[] = [];
let asked: string[] = [];

/** Starts the extension in an editor, and returns the editor. */
async function activate() {
  const { api, ...rest } = editor();
  const exports: { activate?: (context: object) => Promise<void> } = {};
  new Function("require", "exports", "self", source)(() => api, exports, { origin: "https://s.example" });
  await exports.activate?.({ subscriptions });
  return rest;
}

const minutes = (count: number) => vi.advanceTimersByTimeAsync(count * 60_000);
const toldWork = () =>
  asked.splice(0).filter((call) => call === "POST https://s.example/.cairn/s/the-session/keep").length;

beforeEach(() => {
  vi.useFakeTimers();
  [subscriptions, asked] = [[], []];
  const session = { saving: { ago: 5 }, usage: {}, limits: {}, stopsIn: 600 };
  vi.stubGlobal("fetch", async (address: string, { method = "GET" }: { method?: string } = {}) => {
    asked.push(`${method} ${address}`);
    return Response.json(address.endsWith("/state") ? { session } : { kernelspecs: {} });
  });
});

afterEach(() => {
  for (const one of subscriptions) one.dispose();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it("says nothing of an open page that nobody touches, though it looks at the session", async () => {
  await activate();
  await minutes(120);
  expect(asked.filter((call) => call.endsWith("/state")).length).toBeGreaterThan(100);
  expect(toldWork()).toBe(0);
});

it.each(["onDidChangeTextDocument", "onDidChangeNotebookDocument", "onDidChangeTextEditorSelection"])(
  "tells of %s once a minute",
  async (event) => {
    const { tell } = await activate();
    await minutes(2);
    tell(event);
    tell(event);
    expect(toldWork()).toBe(1);
    await minutes(2);
    expect(toldWork()).toBe(0);
    tell(event);
    expect(toldWork()).toBe(1);
  },
);

it("tells of a terminal's command as long as it runs", async () => {
  const { tell } = await activate();
  const [execution, terminal] = [{}, {}];
  await minutes(2);
  tell("onDidStartTerminalShellExecution", { execution, terminal });
  await minutes(10);
  expect(toldWork()).toBeGreaterThan(8);
  tell("onDidEndTerminalShellExecution", { execution, terminal });
  await minutes(1);
  toldWork();
  await minutes(30);
  expect(toldWork()).toBe(0);
});

it("tells nothing of a command whose terminal was closed", async () => {
  const { tell } = await activate();
  const terminal = {};
  await minutes(2);
  tell("onDidStartTerminalShellExecution", { execution: {}, terminal });
  tell("onDidCloseTerminal", terminal);
  await minutes(1);
  toldWork();
  await minutes(30);
  expect(toldWork()).toBe(0);
});

it("tells of a program that is debugged as long as it is", async () => {
  const { parts } = await activate();
  await minutes(2);
  parts.activeDebugSession = {};
  await minutes(10);
  expect(toldWork()).toBeGreaterThan(8);
  parts.activeDebugSession = undefined;
  await minutes(1);
  toldWork();
  await minutes(30);
  expect(toldWork()).toBe(0);
});
