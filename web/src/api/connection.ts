import { connectionProbe, longestConnectionProbe, requestTimeout } from "@/lib/constants";

/** What doesn't answer: the server, or the server's database. */
type Away = "server" | "database";

let away: Away | undefined;
let asking = false;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function set(next: Away | undefined) {
  if (next === away) return;
  away = next;
  for (const listener of listeners) listener();
}

/** Requests something small until it is answered well, because one failed call may have other reasons. */
async function ask(delay: number) {
  clearTimeout(timer);
  asking = true;
  try {
    const signal = AbortSignal.timeout(requestTimeout);
    if (away === "database") {
      if (await databaseAnswers(await fetch("/readyz", { cache: "no-store", signal }))) set(undefined);
    } else {
      await fetch("/favicon.svg", { method: "HEAD", cache: "no-store", signal });
      set(undefined);
    }
  } catch {
    set("server");
  }
  asking = false;
  if (away) timer = setTimeout(() => void ask(Math.min(2 * delay, longestConnectionProbe)), delay);
}

/** Reads the checks of /readyz: the server may be unready for other reasons. */
async function databaseAnswers(ready: Response): Promise<boolean> {
  if (ready.status < 500) return true;
  const body: { checks?: { name: string; ok: boolean }[] } = await ready.json().catch(() => ({}));
  return body.checks?.find(({ name }) => name === "database")?.ok ?? false;
}

/** Whether the server and its database can be reached, according to the latest calls. */
export const connection = {
  isLost: () => away !== undefined,
  /** What can't be reached; undefined when nothing is missing. */
  away: () => away,
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  },
  /** Reports an answer of any kind. It says nothing about the database, which many answers do without. */
  answered() {
    if (away !== "server") return;
    clearTimeout(timer);
    set(undefined);
  },
  /** Reports a call without an answer, or a change of the browser's online state. */
  doubted() {
    if (!asking) void ask(connectionProbe);
  },
  /** Reports an answer that says that the database is away. */
  databaseAway() {
    if (away === "database") return;
    clearTimeout(timer);
    set("database");
    timer = setTimeout(() => void ask(2 * connectionProbe), connectionProbe);
  },
};

/** Watches the browser's online state, which can be wrong, for example with a server on the same machine. */
export function watchNetwork(window: Window) {
  window.addEventListener("offline", connection.doubted);
  window.addEventListener("online", connection.doubted);
}
