import { beforeEach, describe, expect, it, vi } from "vitest";
import { minute, origin, world } from "./testWorld";

let outside: ReturnType<typeof world>;

beforeEach(() => {
  outside = world();
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.spyOn(console, "warn").mockImplementation(() => {});
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

  it("does not end the sign-in of somebody else who signed in meanwhile", async () => {
    outside.store("t1", 5 * minute);
    const tab = outside.tab();
    outside.client.renew.mockImplementation(async () => {
      outside.store("t2", 5 * minute);
      return "renewed";
    });
    expect(await tab.recover("t1")).toBe(true);
    // Another tab stored it, and this one hasn't noticed yet.
    outside.store("t3", 5 * minute, { profile: { sub: "s2" } });
    expect(await tab.recover("t2")).toBe(true);
    expect(tab.getSnapshot()).toMatchObject({ state: "authenticated", user: { subject: "s2" } });
    expect(outside.notify).not.toHaveBeenCalled();
  });

  it("keeps the sign-in when only the provider is down", async () => {
    outside.store("t1", 5 * minute);
    const tab = outside.tab();
    outside.client.renew.mockRejectedValue(new Error("503"));
    expect(await tab.recover("t1")).toBe(false);
    expect(tab.getSnapshot()).toMatchObject({ state: "error", error: { kind: "unreachable" } });
    // The dead token isn't used anymore, even if it hasn't expired.
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

  it("names nobody until it is complete, because it may have ended the sign-in that is stored", async () => {
    outside.store("t1", 5 * minute);
    const tab = outside.tab(true);
    expect(tab.getSnapshot()).toEqual({ state: "loading" });
    tab.start();
    tab.reread();
    await outside.pass(10 * minute);
    expect(tab.getSnapshot()).toEqual({ state: "loading" });
    expect(tab.token()).toBeNull();
    expect(outside.client.renew).not.toHaveBeenCalled();

    outside.client.complete.mockImplementation(async () => {
      outside.store("t2", 5 * minute, { profile: { sub: "s2" } });
      return "/";
    });
    await tab.complete(`${origin}/oauth_callback?code=c&state=s`);
    expect(tab.getSnapshot()).toMatchObject({ state: "authenticated", user: { subject: "s2" } });
    expect(tab.token()).toBe("t2");
  });

  it("that was cancelled leaves whoever was signed in", async () => {
    outside.store("t1", 5 * minute);
    const tab = outside.tab(true);
    outside.client.complete.mockRejectedValue(new Error("access_denied"));
    await expect(tab.complete(`${origin}/oauth_callback?error=access_denied&state=s`)).rejects.toThrow();
    expect(tab.token()).toBe("t1");
  });

  it("is completed after the renewal of another tab, which cannot overwrite it", async () => {
    outside.store("t1", 5 * minute);
    const other = outside.tab();
    other.start();
    let answer = () => {};
    outside.client.renew.mockImplementation(async () => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      outside.store("t2", 5 * minute);
      return "renewed";
    });
    await outside.pass(4 * minute);
    outside.client.complete.mockImplementation(async () => {
      outside.store("t3", 5 * minute, { profile: { sub: "s2" } });
      return "/";
    });
    const tab = outside.tab(true);
    const completed = tab.complete(`${origin}/oauth_callback?code=c&state=s`);
    await outside.pass(0);
    expect(outside.client.complete).not.toHaveBeenCalled();
    answer();
    await completed;
    other.reread();
    expect([tab.token(), other.token()]).toEqual(["t3", "t3"]);
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
