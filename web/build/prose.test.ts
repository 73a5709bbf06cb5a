// biome-ignore-all lint/suspicious/noTemplateCurlyInString: code of a component, as text.
import { expect, test } from "vitest";
import { faults } from "./lint";

test("the linter finds code that reads sentences of the server, and nothing else", () => {
  const reads = [
    'export const a = problem.message === "x";',
    'export const b = "x" !== problem.detail;',
    'export const c = problem.message.includes("index");',
    'export const d = problem.detail?.startsWith("The");',
    "export const e = /x/.test(problem.message);",
    "export const f = messageOf(problem).match(/x/);",
    'export const g = session?.statusReason === "gone";',
    'export const h = message === "x";',
    'export const i = problem.message.toLowerCase().indexOf("index");',
    'export const j = ["x"].includes(problem.message);',
    "export const k = /x/.exec(message);",
    'export const s = messageOf(problem).replaceAll("a", "b");',
    "export const l = problem.message == other.message;",
    "switch (problem.message) { case other: break; }",
  ];
  const others = [
    'export const m = problem.message === "" || undefined !== problem.detail;',
    'export const n = problem.code === "x" && ["x"].includes(session.status);',
    'export const o = message.endsWith(".") ? message : `${message}.`;',
    "export const p = problem.message || messages.none;",
    'export const q = text.includes("message");',
    "export const r = session.statusReason.length > 0 && show(session.statusReason);",
  ];
  expect(faults("prose.grit", [...reads, ...others])).toEqual(reads);
});
