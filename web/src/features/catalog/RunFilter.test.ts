import { isValidElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { RunOutcome } from "@/api/types";
import { RunFilter } from "./RunFilter";

const counts = { clean: 1204, differs: 2, fails: 0, needs: 5, nothing: 16, never: 17 };

function shown(chosen: RunOutcome[] | undefined, stale = false) {
  const sent: RunOutcome[][] = [];
  const choice = RunFilter({ chosen, counts, stale, onChange: (runs) => sent.push(runs) });
  const markup = renderToStaticMarkup(choice);
  const options = [...markup.matchAll(/<option value="([^"]*)"( selected="")?>([^<]*)/g)];
  return {
    values: options.map(([, value]) => value),
    texts: options.map(([, , , text]) => text),
    selected: options.filter(([, , selected]) => selected).map(([, value]) => value),
    choose: (value: string) => {
      if (!isValidElement<{ onChange: (value: string) => void }>(choice)) throw new Error("it is an element");
      choice.props.onChange(value);
      return sent.at(-1);
    },
  };
}

test("every outcome is offered with its count, and any of them at first", () => {
  const { values, texts, selected } = shown(undefined);
  expect(values).toEqual(["", "clean", "differs", "fails", "needs", "nothing", "never"]);
  expect(texts.map((text) => /\(([\d,]+)\)/.exec(text ?? "")?.[1])).toEqual([
    undefined,
    "1,204",
    "2",
    "0",
    "5",
    "16",
    "17",
  ]);
  expect(selected).toEqual([""]);
});

test("one is chosen, and taken back", () => {
  expect(shown(["fails"]).selected).toEqual(["fails"]);
  expect(shown([]).choose("never")).toEqual(["never"]);
  expect(shown(["never"]).choose("")).toEqual([]);
});

test("several from an address stay until another is chosen", () => {
  const { values, selected, choose } = shown(["clean", "fails"]);
  expect(values).toContain("clean,fails");
  expect(selected).toEqual(["clean,fails"]);
  expect(choose("clean,fails")).toEqual(["clean", "fails"]);
});

test("counts of an earlier search aren't shown", () => {
  expect(shown([], true).texts.join()).not.toContain("1,204");
});
