import { beforeEach, expect, test, vi } from "vitest";
import { commitPage, hostPage } from "./hostPage";

beforeEach(() => vi.stubGlobal("location", { host: "catalog.example.org" }));

test.each([
  ["https://github.com/lab/spikes.git", undefined, undefined, "GitHub", "https://github.com/lab/spikes"],
  ["https://gitlab.com/lab/spikes", undefined, undefined, "GitLab", "https://gitlab.com/lab/spikes"],
  [
    "https://gitlab.lab.example/a/b",
    "https://gitlab.lab.example/a/b/-/blob/main/",
    "The lab",
    "The lab",
    "https://gitlab.lab.example/a/b",
  ],
  ["https://git.lab.example/a/b/", undefined, undefined, "git.lab.example", "https://git.lab.example/a/b"],
])("the page of %s", (address, filesUrl, host, name, page) => {
  expect(hostPage(address, filesUrl, host)).toEqual({ name, address: page });
});

test("repositories of this server, and of hosts that have no pages, have none", () => {
  expect(hostPage("https://catalog.example.org/demo/git/x.git", undefined)).toBeUndefined();
  expect(hostPage("https://git.lab.example/a/b", "")).toBeUndefined();
});

test("the page of a commit", () => {
  expect(commitPage("https://codeberg.org/a/b", "ab12")).toBe("https://codeberg.org/a/b/commit/ab12");
  expect(commitPage("https://bitbucket.org/a/b", "ab12")).toBe("https://bitbucket.org/a/b/commits/ab12");
});
