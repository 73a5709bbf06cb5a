import { expect, test } from "vitest";
import type { Connection } from "@/api/types";
import { isArchive, mayChange, rightWords } from "./rights";
import { archiveRightMessages, rightMessages } from "./rights.messages";

test("each right has its words, in the server's order", () => {
  expect(rightWords(["identity", "read", "write"], "gitlab")).toEqual([
    "See who you are there",
    "Read the repositories that you can read",
    "Change what you can change there",
  ]);
  expect(rightWords([], "gitlab")).toEqual([]);
});

test("at an archive, this server deposits", () => {
  expect(["zenodo", "inveniordm", "github", "gitlab", "gitea"].filter(isArchive)).toEqual(["zenodo", "inveniordm"]);
  const { read, write, unknown } = archiveRightMessages;
  expect(rightWords(["read", "write", "unknown"], "zenodo")).toEqual([read, write, unknown]);
});

test("a right of a newer server is unknown, and is said once", () => {
  const newer = ["read", "administer", "unknown"] as Connection["granted"];
  expect(rightWords(newer, "gitlab")).toEqual([rightMessages.read, rightMessages.unknown]);
});

test.each([
  [["identity", "read"], false],
  [["identity", "unknown"], false],
  [["read", "write"], true],
  [["all"], true],
] as [Connection["granted"], boolean][])("whether %j may change something is %s", (granted, changes) => {
  expect(mayChange(granted)).toBe(changes);
});
