import { connectionProbe, longestConnectionProbe, requestTimeout } from "@/lib/constants";

let lost = false;
let asking = false;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function set(next: boolean) {
  if (next === lost) return;
  lost = next;
  for (const listener of listeners) listener();
}

/** Requests something small until the server answers, because one failed call may have other reasons. */
async function ask(delay: number) {
  clearTimeout(timer);
  asking = true;
  try {
    await fetch("/favicon.svg", { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(requestTimeout) });
    connection.answered();
  } catch {
    set(true);
    timer = setTimeout(() => void ask(Math.min(2 * delay, longestConnectionProbe)), delay);
  } finally {
    asking = false;
  }
}

/** Whether the server can be reached, according to the latest calls. */
export const connection = {
  isLost: () => lost,
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  },
  /** Reports an answer of any kind. */
  answered() {
    clearTimeout(timer);
    set(false);
  },
  /** Reports a call without an answer, or a change of the browser's online state. */
  doubted() {
    if (!asking) void ask(connectionProbe);
  },
};

/** Watches the browser's online state, which can be wrong, for example with a server on the same machine. */
export function watchNetwork(window: Window) {
  window.addEventListener("offline", connection.doubted);
  window.addEventListener("online", connection.doubted);
}
