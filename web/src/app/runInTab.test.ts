import { expect, test } from "vitest";
import type { RunTarget } from "@/ui/run";
import { returnTo } from "./runInTab";

const target: RunTarget = { id: "0b5c", name: "Spikes", of: "entry", options: { file: "a #1.ipynb" } };

test("a visitor comes back to the page of the run, with all that its address has", () => {
  expect(returnTo(target, { pathname: "/run/0b5c", search: "?file=a%20%231.ipynb&x=1" })).toBe(
    "/run/0b5c?file=a%20%231.ipynb&x=1",
  );
});

test("from any other page they come to it", () => {
  expect(returnTo(target, { pathname: "/resources", search: "?tags=b" })).toBe("/run/0b5c?file=a%20%231.ipynb");
});
