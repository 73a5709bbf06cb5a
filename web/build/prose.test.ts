// biome-ignore-all lint/suspicious/noTemplateCurlyInString: code of a component, as text.
import { readFileSync } from "node:fs";
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
    'export const t = text.includes("x");',
    'export const u = said.startsWith("The");',
    'export const v = problem.detail.slice(0, 3) === "The";',
    'export const w = problem.message.at(-1) === "x";',
    'export const x = problem.message.endsWith("x.");',
    'export const y = deep === "x";',
    'export const z = (({ detail: given }) => given.includes("x"))(problem);',
    'export const aa = again.includes("x");',
  ];
  const others = [
    "const text = problem.message;",
    "const again = text;",
    "const one = two;",
    "const two = one;",
    'export const bb = one.includes("x");',
    "const { statusReason: said } = session;",
    "const { data, error: { message: deep } } = result;",
    'export const m = problem.message === "" || undefined !== problem.detail;',
    'export const n = problem.code === "x" && ["x"].includes(session.status);',
    'export const o = message.endsWith(".") ? message : `${message}.`;',
    "export const p = problem.message || messages.none;",
    'export const q = title.includes("message");',
    "export const r = session.statusReason.length > 0 && show(session.statusReason);",
  ];
  expect(faults("prose.grit", [...reads, ...others])).toEqual(reads);
});

test.each(["launch.js", "session.js", "bar.js", "words.js"])(
  "%s, which Biome doesn't see from here, goes by codes too",
  (name) => {
    const script = new URL(`../../internal/sessions/origin/pages/${name}`, import.meta.url);
    expect(faults("prose.grit", readFileSync(script, "utf8").split("\n"))).toEqual([]);
  },
);
