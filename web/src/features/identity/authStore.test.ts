import { beforeEach, describe, expect, it, vi } from "vitest";
import { minute, world } from "./testWorld";

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
