import { expect, it } from "vitest";
import { wantedStart, withoutStart, withStart } from "./startAddress";

it("asks for the dialog on any page and leaves the rest of its address alone", () => {
  const address = withStart("/resources/datasets/d1?from=a%2Fb&projectId=old#files", "p1");
  expect(address).toBe("/resources/datasets/d1?from=a%2Fb&projectId=p1&showStartProjectSessionModal=true#files");
  const { searchParams } = new URL(address, "http://page");
  expect(wantedStart(searchParams)).toBe("p1");
  expect(withoutStart(searchParams).toString()).toBe("from=a%2Fb");
});

it("keeps an address with one slash on this site (double-slash return)", () => {
  expect(withStart("/", "p1")).toBe("/?showStartProjectSessionModal=true&projectId=p1");
});

it("asks for nothing without the flag", () => {
  expect(wantedStart(new URLSearchParams("projectId=p1"))).toBeUndefined();
  expect(wantedStart(new URLSearchParams("showStartProjectSessionModal=false&projectId=p1"))).toBeUndefined();
});

it("tells a flag without a project, which leaves the address too, from no flag", () => {
  expect(wantedStart(new URLSearchParams("showStartProjectSessionModal=true"))).toBe("");
});
