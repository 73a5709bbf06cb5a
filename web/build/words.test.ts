// biome-ignore-all lint/suspicious/noTemplateCurlyInString: code of a component, as text.
import { expect, test } from "vitest";
import { faults } from "./lint";

test("the linter finds the words in a component, and nothing else", () => {
  const words = [
    "export const a = <i>Words</i>;",
    'export const b = <i>{"Words"}</i>;',
    'export const c = <i>{some ? "Words" : some}</i>;',
    'export const d = <i>{some && "Words"}</i>;',
    "export const e = <i>{`${some} words`}</i>;",
    'export const f = <i aria-label="Words" />;',
    "export const g = <i title={some ? `${some} words` : undefined} />;",
    'export const h = { label: "Words" };',
    'toast.error("Words");',
    'toast.error(some, "Words");',
  ];
  const others = [
    'export const i = <i className="words" role={some ? "alert" : undefined} />;',
    "export const j = <i>{some} · {`${some}: ${some}`}</i>;",
    'export const k = <i title={some("words")}>{some("words")}</i>;',
    "toast.error(some.title, some.body);",
  ];
  expect(faults("words.grit", [...words, ...others])).toEqual(words);
});
