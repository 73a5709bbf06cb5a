import { beforeEach, describe, expect, it, vi } from "vitest";
import { AuthStore, type Renewal, type SignInClient } from "./authStore";

const key = "oidc.user:https://id.example:portal";
const origin = "https://portal.example";
const minute = 60_000;

/** A browser with one local storage, a clock that is moved by hand, and a provider that does as it is told. */
function world() {
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
    tab: () =>
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

let outside: ReturnType<typeof world>;

beforeEach(() => {
  outside = world();
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.spyOn(console, "warn").mockImplementation(() => {});
});

describe("at the start", () => {
  it("nobody stored: anonymous, and the library is never loaded", async () => {
    const tab = outside.tab();
    tab.start();
    await outside.pass(60 * minute);
    expect(tab.getSnapshot()).toEqual({ state: "anonymous" });
    expect(tab.token()).toBeNull();
    expect(outside.connect).not.toHaveBeenCalled();
  });

  it("a good user: signed in at once, without the library", async () => {
    outside.store("t1", 5 * minute);
    const tab = outside.tab();
    expect(tab.getSnapshot()).toEqual({
      state: "authenticated",
      user: { subject: "s1", email: "a@example.org", name: "" },
    });
    expect(tab.token()).toBe("t1");
    tab.start();
    await outside.pass(3 * minute);
    expect(outside.connect).not.toHaveBeenCalled();
  });

  it("an expired user: loading, without a token, until the renewal", async () => {
    outside.store("t1", -minute);
    outside.client.renew.mockImplementation(async () => {
      outside.store("t2", 5 * minute);
      return "renewed";
    });
    const tab = outside.tab();
    expect(tab.getSnapshot().state).toBe("loading");
    expect(tab.token()).toBeNull();
    tab.start();
    await outside.pass(0);
    expect(tab.token()).toBe("t2");
  });

  it("an expired user whom the provider refuses: forgotten, without a word", async () => {
    outside.store("t1", -minute);
    const tab = outside.tab();
    tab.start();
    await outside.pass(0);
    expect(tab.getSnapshot()).toEqual({ state: "anonymous" });
    expect(outside.stored()).toBe("{}");
    expect(outside.tab().getSnapshot().state).toBe("anonymous");
    expect(outside.notify).not.toHaveBeenCalled();
  });

  it("an expired user and a silent provider: public pages wait three seconds, then the sign-in heals by itself", async () => {
    outside.store("t1", -minute);
    let answer = () => {};
    outside.client.renew.mockReturnValue(
      new Promise((resolve) => {
        answer = () => resolve("renewed");
      }),
    );
    const tab = outside.tab();
    tab.start();
    await outside.pass(2_999);
    expect(tab.getSnapshot().state).toBe("loading");
    await outside.pass(1);
    expect(tab.getSnapshot()).toMatchObject({ state: "error", error: { kind: "unreachable" } });
    outside.store("t2", 5 * minute);
    answer();
    await outside.pass(0);
    expect(tab.token()).toBe("t2");
  });

  it("a provider that watches its session is listened to", async () => {
    outside.store("t1", 5 * minute, { session_state: "x" });
    const tab = outside.tab();
    tab.start();
    await outside.pass(10_000);
    expect(outside.connect).toHaveBeenCalledOnce();
    outside.connect.mock.calls[0]?.[0]();
    await outside.pass(0);
    expect(outside.client.renew).toHaveBeenCalledOnce();
    expect(tab.getSnapshot()).toMatchObject({ state: "error", error: { kind: "ended" } });
  });

  it("a provider that does not watch its session is left alone", async () => {
    outside.store("t1", 5 * minute);
    outside.tab().start();
    await outside.pass(minute);
    expect(outside.connect).not.toHaveBeenCalled();
  });
});

describe("renewal in time", () => {
  it("comes one minute before the end, again and again", async () => {
    let token = 1;
    outside.client.renew.mockImplementation(async () => {
      token += 1;
      outside.store(`t${token}`, 5 * minute);
      return "renewed";
    });
    outside.store("t1", 5 * minute);
    const tab = outside.tab();
    tab.start();
    await outside.pass(4 * minute - 1);
    expect(outside.client.renew).not.toHaveBeenCalled();
    await outside.pass(1);
    expect(tab.token()).toBe("t2");
    await outside.pass(20 * minute);
    expect(tab.token()).toBe("t7");
  });

  it("of five tabs at once asks the provider once", async () => {
    outside.client.renew.mockImplementation(async () => {
      outside.store("t2", 5 * minute);
      return "renewed";
    });
    outside.store("t1", 5 * minute);
    const tabs = [1, 2, 3, 4, 5].map(() => outside.tab());
    for (const tab of tabs) tab.start();
    await outside.pass(4 * minute);
    expect(outside.client.renew).toHaveBeenCalledOnce();
    expect(tabs.map((tab) => tab.token())).toEqual(["t2", "t2", "t2", "t2", "t2"]);
  });

  it("that is refused becomes an error state; the page may stay, calls go without a token", async () => {
    outside.store("t1", 5 * minute);
    const tab = outside.tab();
    tab.start();
    await outside.pass(4 * minute);
    expect(tab.getSnapshot()).toMatchObject({ state: "error", error: { kind: "ended" } });
    expect(tab.token()).toBeNull();
    tab.reread();
    await outside.pass(10 * minute);
    expect(outside.client.renew).toHaveBeenCalledOnce();
    outside.store("t2", 5 * minute);
    tab.reread();
    expect(tab.getSnapshot().state).toBe("authenticated");
  });

  it("that fails is tried after 5 s, then ever less often, and heals", async () => {
    const tried: number[] = [];
    let now = 0;
    outside.client.renew.mockImplementation(async () => {
      tried.push(now);
      throw new Error("timed out");
    });
    outside.store("t1", 5 * minute);
    const tab = outside.tab();
    tab.start();
    await outside.pass(4 * minute);
    for (now = 1; now <= 59; now++) await outside.pass(1_000);
    expect(tried).toEqual([0, 5, 15, 35]);
    expect(tab.getSnapshot().state).toBe("authenticated");
    await outside.pass(60_000);
    expect(tab.getSnapshot()).toMatchObject({ state: "error", error: { kind: "unreachable" } });
    outside.client.renew.mockImplementation(async () => {
      outside.store("t2", 5 * minute);
      return "renewed";
    });
    await outside.pass(60_000);
    expect(tab.token()).toBe("t2");
  });

  it("of tokens that live shorter than the notice is no loop", async () => {
    outside.client.renew.mockImplementation(async () => {
      outside.store(`t${outside.client.renew.mock.calls.length}`, 30_000);
      return "renewed";
    });
    outside.store("t0", 30_000);
    outside.tab().start();
    await outside.pass(60_000);
    expect(outside.client.renew.mock.calls.length).toBeLessThanOrEqual(12);
  });
});

describe("a sign-in that has ended", () => {
  it("is found in the morning: the page of the evening stays", async () => {
    outside.store("t1", 5 * minute);
    const tab = outside.tab();
    outside.sleep(8 * 60 * minute);
    tab.reread();
    expect(tab.getSnapshot()).toMatchObject({ state: "loading", user: { subject: "s1" } });
    await outside.pass(0);
    expect(tab.getSnapshot()).toMatchObject({ state: "error", user: { subject: "s1" }, error: { kind: "ended" } });
    expect(tab.token()).toBeNull();
  });

  it("keeps the pages of all tabs, also when a new one finds it out", async () => {
    outside.store("t1", 5 * minute);
    const old = outside.tab();
    outside.sleep(10 * minute);
    const fresh = outside.tab();
    fresh.start();
    await outside.pass(0);
    old.reread();
    expect(fresh.getSnapshot()).toEqual({ state: "anonymous" });
    expect(old.getSnapshot()).toMatchObject({ state: "error", error: { kind: "ended" } });
    expect(outside.client.renew).toHaveBeenCalledOnce();
  });

  it("of five tabs at once is asked about once", async () => {
    outside.store("t1", 5 * minute);
    const tabs = [1, 2, 3, 4, 5].map(() => outside.tab());
    for (const tab of tabs) tab.start();
    await outside.pass(4 * minute);
    expect(outside.client.renew).toHaveBeenCalledOnce();
    expect(tabs.map((tab) => tab.getSnapshot().error?.kind)).toEqual(["ended", "ended", "ended", "ended", "ended"]);
  });

  it("goes on when somebody signed in beside the page", async () => {
    outside.store("t1", 5 * minute);
    const tab = outside.tab();
    tab.start();
    await outside.pass(4 * minute);
    outside.client.signInBeside.mockRejectedValueOnce(new Error("access_denied"));
    await expect(tab.loginBeside()).rejects.toThrow();
    expect(tab.getSnapshot()).toMatchObject({ state: "error", error: { kind: "ended" } });
    outside.client.signInBeside.mockImplementation(async () => outside.store("t2", 5 * minute));
    await tab.loginBeside();
    expect(tab.token()).toBe("t2");
  });

  it("is not taken for that of somebody who signed in meanwhile", async () => {
    outside.store("t1", -minute);
    const tab = outside.tab();
    outside.client.renew.mockImplementation(async () => {
      outside.store("t2", 5 * minute);
      return "refused";
    });
    tab.start();
    await outside.pass(0);
    expect(tab.token()).toBe("t2");
  });
});

describe("other tabs", () => {
  it("a sign-out there signs out here (incomplete logout)", async () => {
    outside.store("t1", 5 * minute);
    const [here, there] = [outside.tab(), outside.tab()];
    here.start();
    await there.logout();
    here.reread();
    expect(here.getSnapshot().state).toBe("anonymous");
    expect(here.token()).toBeNull();
    await outside.pass(60 * minute);
    expect(outside.client.renew).not.toHaveBeenCalled();
  });

  it("a sign-out there while a renewal runs here is not undone (revived login)", async () => {
    outside.store("t1", 5 * minute);
    const here = outside.tab();
    here.start();
    outside.client.renew.mockImplementation(async () => {
      outside.clear();
      return "superseded";
    });
    await outside.pass(4 * minute);
    expect(here.getSnapshot().state).toBe("anonymous");
  });

  it("a sign-in there counts here", () => {
    const tab = outside.tab();
    outside.store("t1", 5 * minute);
    tab.reread();
    expect(tab.getSnapshot().state).toBe("authenticated");
  });
});

describe("a refused token", () => {
  it("is renewed once, for all calls that it was refused to", async () => {
    outside.store("t1", 5 * minute);
    const tab = outside.tab();
    outside.client.renew.mockImplementation(async () => {
      outside.store("t2", 5 * minute);
      return "renewed";
    });
    expect(await Promise.all([tab.recover("t1"), tab.recover("t1")])).toEqual([true, true]);
    expect(await tab.recover("t1")).toBe(true);
    expect(outside.client.renew).toHaveBeenCalledOnce();
  });

  it("that the renewal does not help ends the sign-in, with one notice", async () => {
    outside.store("t1", 5 * minute);
    const tab = outside.tab();
    outside.client.renew.mockImplementation(async () => {
      outside.store("t2", 5 * minute);
      return "renewed";
    });
    expect(await tab.recover("t1")).toBe(true);
    expect(await Promise.all([tab.recover("t2"), tab.recover("t2")])).toEqual([false, false]);
    expect(tab.getSnapshot().state).toBe("anonymous");
    expect(outside.stored()).toBeNull();
    expect(outside.notify).toHaveBeenCalledOnce();
  });

  it("that cannot be renewed ends the sign-in", async () => {
    outside.store("t1", 5 * minute);
    const tab = outside.tab();
    expect(await tab.recover("t1")).toBe(false);
    expect(tab.getSnapshot().state).toBe("anonymous");
    expect(outside.notify).toHaveBeenCalledWith("You have been signed out", expect.any(String));
  });

  it("keeps the sign-in when only the provider is down", async () => {
    outside.store("t1", 5 * minute);
    const tab = outside.tab();
    outside.client.renew.mockRejectedValue(new Error("503"));
    expect(await tab.recover("t1")).toBe(false);
    expect(tab.getSnapshot()).toMatchObject({ state: "error", error: { kind: "unreachable" } });
    // Nothing goes on with the dead token, whatever its lifetime was said to be.
    expect(tab.token()).toBeNull();
    outside.client.renew.mockImplementation(async () => {
      outside.store("t2", 5 * minute);
      return "renewed";
    });
    await outside.pass(5_000);
    expect(tab.token()).toBe("t2");
  });
});

describe("signing in and out", () => {
  it("leaves with the deep link, on our own origin only", async () => {
    const tab = outside.tab();
    await tab.login("/sessions?a=1#b");
    await tab.login("//evil.example");
    expect(outside.client.signIn.mock.calls).toEqual([["/sessions?a=1#b"], ["/"]]);
  });

  it("that cannot begin is an error state with a notice, and can be tried again", async () => {
    outside.connect.mockRejectedValueOnce(new Error("discovery: 503"));
    const tab = outside.tab();
    await tab.login("/");
    expect(tab.getSnapshot()).toMatchObject({ state: "error", error: { kind: "signin" } });
    expect(outside.notify).toHaveBeenCalledOnce();
    await tab.login("/");
    expect(outside.client.signIn).toHaveBeenCalledOnce();
  });

  it("completes once, however often the page asks, and goes to the deep link on our own origin", async () => {
    outside.client.complete.mockImplementation(async () => {
      outside.store("t1", 5 * minute);
      return "/sessions#x";
    });
    const tab = outside.tab();
    const address = `${origin}/oauth_callback?code=c&state=s`;
    expect(await Promise.all([tab.complete(address), tab.complete(address)])).toEqual(["/sessions#x", "/sessions#x"]);
    expect(outside.client.complete).toHaveBeenCalledOnce();
    expect(tab.getSnapshot().state).toBe("authenticated");
    outside.client.complete.mockResolvedValue("/\\evil.example");
    expect(await tab.complete(`${address}2`)).toBe("/");
  });

  it("forgets the user before the provider is asked, and names the login to end", async () => {
    outside.store("t1", 5 * minute);
    const tab = outside.tab();
    let storedThen: string | null = "";
    outside.client.signOut.mockImplementation(async () => {
      storedThen = outside.stored();
    });
    await tab.logout();
    expect(storedThen).toBeNull();
    expect(outside.client.signOut).toHaveBeenCalledWith("id");
    expect(tab.getSnapshot().state).toBe("loading");
  });

  it("ends the access to sessions first, with the token, and does not mind when that fails", async () => {
    outside.store("t1", 5 * minute);
    const tab = outside.tab();
    let tokenThen: string | null = null;
    outside.closeSessions.mockImplementation(async () => {
      tokenThen = tab.token();
      throw new Error("timed out");
    });
    await tab.logout();
    expect(tokenThen).toBe("t1");
    expect(outside.stored()).toBeNull();
    expect(outside.client.signOut).toHaveBeenCalledOnce();
  });

  it("waits no longer than two seconds for the end of that access", async () => {
    outside.store("t1", 5 * minute);
    outside.closeSessions.mockReturnValue(new Promise(() => {}));
    void outside.tab().logout();
    await outside.pass(1_999);
    expect(outside.client.signOut).not.toHaveBeenCalled();
    await outside.pass(1);
    expect(outside.client.signOut).toHaveBeenCalledOnce();
  });

  it("signs out here even when the provider is down, and says so", async () => {
    outside.store("t1", 5 * minute);
    const tab = outside.tab();
    outside.connect.mockRejectedValue(new Error("down"));
    await tab.logout();
    expect(outside.stored()).toBeNull();
    expect(tab.token()).toBeNull();
    expect(tab.getSnapshot()).toMatchObject({ state: "error", error: { kind: "signout" } });
  });
});
