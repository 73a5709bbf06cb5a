import { expect, test } from "vitest";
import { hostName, hostOf } from "./hostName";

test.each([
  ["https://github.com/lab/spikes", "github.com"],
  [" https://www.github.com/lab/spikes.git ", "github.com"],
  ["github.com/lab/spikes", "github.com"],
  ["git@gitlab.example.org:lab/spikes.git", "gitlab.example.org"],
  ["ssh://git@codeberg.org:22/lab/spikes", "codeberg.org"],
  ["https://GitLab.Example.org:8443/lab", "gitlab.example.org"],
  ["", undefined],
  ["not an address", undefined],
])("the host of %j is %s", (address, name) => {
  expect(hostName(address)).toBe(name);
});

test("a repository is at the host with the same name", () => {
  const hosts = [{ url: "https://github.com" }, { url: "https://gitlab.example.org/" }];
  expect(hostOf("git@gitlab.example.org:lab/spikes.git", hosts)).toBe(hosts[1]);
  expect(hostOf("github.com/lab/spikes", hosts)).toBe(hosts[0]);
  expect(hostOf("https://evil.example/github.com", hosts)).toBeUndefined();
  expect(hostOf("https://github.com.evil.example/lab", hosts)).toBeUndefined();
  expect(hostOf("", hosts)).toBeUndefined();
});
