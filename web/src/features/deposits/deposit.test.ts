import { expect, it } from "vitest";
import { Problem } from "@/api/problem";
import type { ProblemCode } from "@/api/types";
import {
  archivesWithout,
  depositsOf,
  helpAgainst,
  helpFor,
  helpPage,
  isDiscardable,
  isOf,
  isUnderWay,
  percentOf,
  withDeposit,
} from "./deposit";
import { depositsMessages as messages } from "./deposits.messages";
import type { Archive, Deposit } from "./shapes";

const ada = "ada@example.org";
const bob = "bob@example.org";

const deposit = (rest: Partial<Deposit> = {}): Deposit => ({
  ...{ id: "1", at: "zenodo", version: 1, state: "DRAFT", by: ada, createdAt: "2035-05-01T00:00:00Z" },
  progress: { files: 0, bytes: 0, totalBytes: 0 },
  ...rest,
});

const archive = (name: string): Archive => ({
  ...{ name, label: name, kind: "zenodo", url: "https://example.org", connected: true },
});

const refused = (code: ProblemCode, location?: string) =>
  new Problem(400, "Refused.", { code, ...(location && { fields: [{ location, message: "Wrong." }] }) });

it("looks again only while servers work on it", () => {
  const states = ["UPLOADING", "DRAFT", "PUBLISHING", "PUBLISHED", "FAILED"] as const;
  expect(states.filter((state) => isUnderWay(deposit({ state })))).toEqual(["UPLOADING", "PUBLISHING"]);
});

it("knows who has begun it, whatever the case of their address", () => {
  expect(isOf(deposit(), "Ada@Example.org")).toBe(true);
  expect(isOf(deposit(), bob)).toBe(false);
  expect(isOf(deposit({ by: "" }), undefined)).toBe(false);
});

it("can be discarded by whoever began it, by others once that person isn't an author anymore, and never once it's public", () => {
  expect(isDiscardable(deposit(), ada, [ada, bob])).toBe(true);
  expect(isDiscardable(deposit(), bob, [ada, bob])).toBe(false);
  expect(isDiscardable(deposit(), bob, [bob])).toBe(true);
  expect(isDiscardable(deposit({ state: "PUBLISHING" }), ada, [ada])).toBe(false);
  expect(isDiscardable(deposit({ state: "PUBLISHED" }), ada, [ada])).toBe(false);
});

it("says how much has arrived, as far as that is known", () => {
  const progress = { files: 1, bytes: 999, totalBytes: 1000 };
  expect(percentOf(deposit({ state: "UPLOADING", progress }))).toBe(99);
  expect(percentOf(deposit({ state: "UPLOADING", progress: { ...progress, bytes: 2000 } }))).toBe(100);
  expect(percentOf(deposit({ state: "UPLOADING" }))).toBeUndefined();
  expect(percentOf(deposit({ state: "PUBLISHING", progress }))).toBeUndefined();
});

it("offers the archives that don't have a version yet", () => {
  const archives = [archive("zenodo"), archive("lab")];
  const deposits = [deposit(), deposit({ id: "2", version: 2, at: "lab" })];
  const names = (version: number | undefined) => archivesWithout(archives, deposits, version).map(({ name }) => name);
  expect(names(1)).toEqual(["lab"]);
  expect(names(2)).toEqual(["zenodo"]);
  expect(names(3)).toEqual(["zenodo", "lab"]);
  expect(names(undefined)).toEqual([]);
  expect(depositsOf(deposits, 2).map(({ id }) => id)).toEqual(["2"]);
});

it("puts a deposit into the list, in its place or as the newest", () => {
  const list = [deposit(), deposit({ id: "2" })];
  const published = deposit({ id: "2", state: "PUBLISHED" });
  expect(withDeposit(list, published)).toEqual([list[0], published]);
  expect(withDeposit(list, deposit({ id: "3" })).map(({ id }) => id)).toEqual(["3", "1", "2"]);
});

it("reads the code of a refusal, and what was being tried", () => {
  expect(helpAgainst(refused("not_connected"), "begin")).toBe("connect");
  expect(helpAgainst(refused("conflict"), "begin")).toBe("other");
  expect(helpAgainst(refused("conflict"), "publish")).toBe("changed");
  expect(helpAgainst(refused("invalid", "license"), "begin")).toBe("license");
  expect(helpAgainst(refused("invalid", "body.at"), "begin")).toBe("edit");
  expect(helpAgainst(refused("internal"), "retry")).toBeUndefined();
  expect(helpAgainst(new Error("broken"), "discard")).toBeUndefined();
  expect(helpFor(undefined)).toBeUndefined();
});

it("leads to the page on which something can be done", () => {
  expect(helpPage("connect")).toBe("connections");
  expect(helpPage("license")).toBe("edit");
  expect(helpPage("later")).toBeUndefined();
});

it("names the archive and what to do in each sentence", () => {
  for (const help of ["connect", "license", "edit", "other", "later"] as const) {
    expect(messages.helps[help]("Zenodo")).toContain("Zenodo");
  }
});
