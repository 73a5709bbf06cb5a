import { vi } from "vitest";
import { AuthStore, type Renewal, type SignInClient } from "./authStore";

export const origin = "https://portal.example";
export const minute = 60_000;

const key = "oidc.user:https://id.example:portal";

/** A browser with local storage, a clock that tests advance, and a provider that they control. */
export function world() {
  let clock = 1_000_000;
  let stored: string | null = null;
  let timers: { at: number; action: () => void }[] = [];
  let lock: Promise<unknown> = Promise.resolve();

  const client = {
    signIn: vi.fn<SignInClient["signIn"]>(async () => {}),
    signInBeside: vi.fn<SignInClient["signInBeside"]>(),
    complete: vi.fn<SignInClient["complete"]>(),
    renew: vi.fn<SignInClient["renew"]>(async (): Promise<Renewal> => "refused"),
    signOut: vi.fn<SignInClient["signOut"]>(async () => {}),
  };
  const connect = vi.fn(async (_: () => void): Promise<SignInClient> => client);
  const notify = vi.fn();
  const closeSessions = vi.fn(async () => {});

  return {
    client,
    connect,
    notify,
    closeSessions,
    store: (token: string, life: number, more: object = {}) => {
      const profile = { sub: "s1", email: "a@example.org" };
      stored = JSON.stringify({
        access_token: token,
        id_token: "id",
        expires_at: (clock + life) / 1000,
        profile,
        ...more,
      });
    },
    stored: () => stored,
    clear: () => {
      stored = null;
    },
    tab: (arriving = false) =>
      new AuthStore({
        storage: {
          getItem: (name) => (name === key ? stored : null),
          setItem: (_, value) => {
            stored = value;
          },
          removeItem: () => {
            stored = null;
          },
        },
        key,
        origin,
        arriving,
        now: () => clock,
        after: (delay, action) => {
          const timer = { at: clock + delay, action };
          timers.push(timer);
          return () => {
            timers = timers.filter((each) => each !== timer);
          };
        },
        connect,
        exclusively: (work) => {
          const result = lock.then(work);
          lock = result.catch(() => {});
          return result;
        },
        closeSessions,
        notify,
      }),
    /** Moves the clock while the computer sleeps: nothing happens. */
    sleep: (duration: number) => {
      clock += duration;
    },
    /** Moves the clock and lets everything that is due happen. */
    pass: async (duration: number) => {
      const end = clock + duration;
      for (;;) {
        await settle();
        const next = timers.sort((a, b) => a.at - b.at)[0];
        if (!next || next.at > end) break;
        timers.shift();
        clock = Math.max(clock, next.at);
        next.action();
      }
      clock = end;
      await settle();
    },
  };
}

async function settle() {
  for (let turn = 0; turn < 30; turn++) await Promise.resolve();
}
