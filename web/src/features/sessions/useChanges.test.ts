import { expect, it } from "vitest";
import type { Session } from "@/api/types";
import { changes } from "./useChanges";

const session = (id: string, status: Session["status"], statusReason = "") =>
  ({ id, sessionName: `Run ${id}`, status, statusReason }) as Session;

it("tells of each session whose state is another", () => {
  const before = [session("1", "CREATED"), session("2", "RUNNING"), session("3", "RUNNING")];
  const now = [session("1", "RUNNING"), session("2", "ERROR", "The disk is full."), session("3", "RUNNING")];
  expect(changes(before, now)).toBe("“Run 1” is running. “Run 2” failed. The disk is full.");
});

it("is silent about what is new, gone or as it was", () => {
  const before = [session("1", "RUNNING"), session("2", "RUNNING")];
  expect(changes(before, [session("1", "RUNNING"), session("3", "CREATED")])).toBe("");
  expect(changes([], before)).toBe("");
});
