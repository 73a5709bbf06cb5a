import { expect, test, vi } from "vitest";
import { linkToFollow } from "@/features/sharing/link";
import { codeFromLink } from "@/features/workshops/code";

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
    code: codeFromLink("k7", { getItem: (key) => store[key] ?? null }),
    replaced: replaceState.mock.calls,
  };
}

test("the secret leaves the address and stays in the tab", async () => {
  expect(await kept("/shared", "#ABC234")).toEqual({
    ...{ link: "ABC234", code: "" },
    replaced: [[null, "", "/shared"]],
  });
});

test("so does the code of a workshop", async () => {
  expect(await kept("/join/k7", "#amber-river-stone-wolf")).toEqual({
    ...{ link: undefined, code: "amber river stone wolf" },
    replaced: [[null, "", "/join/k7"]],
  });
});

test.each([
  ["/shared", ""],
  ["/join/k7", ""],
  ["/jobs/k7", "#cell-3"],
  ["/sessions", "#projects"],
  ["/resources", "#readme"],
  ["/open", "#key"],
])("%s%s has none", async (path, hash) => {
  expect(await kept(path, hash)).toEqual({ link: undefined, code: "", replaced: [] });
});
