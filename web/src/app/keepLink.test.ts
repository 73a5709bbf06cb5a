import { expect, test, vi } from "vitest";
import { linkToFollow } from "@/features/sharing/link";

async function kept(pathname: string, hash: string) {
  const store: Record<string, string> = {};
  const replaceState = vi.fn();
  vi.stubGlobal("location", { pathname, hash });
  vi.stubGlobal("sessionStorage", store);
  vi.stubGlobal("history", { replaceState });
  vi.resetModules();
  await import("./keepLink");
  const unused = () => {};
  return {
    link: linkToFollow({ getItem: (key) => store[key] ?? null, setItem: unused, removeItem: unused }),
    replaced: replaceState.mock.calls,
  };
}

test("the secret leaves the address and stays in the tab", async () => {
  expect(await kept("/shared", "#ABC234")).toEqual({ link: "ABC234", replaced: [[null, "", "/shared"]] });
});

test.each([
  ["/shared", ""],
  ["/resources", "#readme"],
  ["/open", "#key"],
])("%s%s has none", async (path, hash) => {
  expect(await kept(path, hash)).toEqual({ link: undefined, replaced: [] });
});
