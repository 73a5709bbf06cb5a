import { isValidElement, type ReactElement, type ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { ResourceType } from "@/api/types";
import { resourceTypes } from "./kinds";
import { TypeFilter } from "./TypeFilter";

type Control = ReactElement<{ children?: ReactNode; pressed?: boolean; onToggle?: () => void; onClick?: () => void }>;

/** The chips and buttons of the filter, by the text or label that a reader hears. */
function controls(chosen: ResourceType[]) {
  const sent: ResourceType[][] = [];
  const found = new Map<string, Control>();
  const visit = (node: ReactNode) => {
    if (Array.isArray(node)) for (const each of node) visit(each);
    if (!isValidElement(node)) return;
    const control = node as Control;
    const { children, onToggle, onClick } = control.props;
    if (!onToggle && !onClick) return visit(children);
    const markup = renderToStaticMarkup(control);
    found.set(/aria-label="([^"]*)"/.exec(markup)?.[1] ?? markup.replace(/<[^>]*>/g, ""), control);
  };
  visit(TypeFilter({ chosen, counts: { MODEL: 1872 }, stale: false, onChange: (types) => sent.push(types) }));
  const choose = (name: string) => {
    const props = found.get(name)?.props;
    (props?.onToggle ?? props?.onClick)?.();
    return sent.at(-1);
  };
  const pressed = [...found].filter(([, each]) => renderToStaticMarkup(each).includes('aria-pressed="true"'));
  return { choose, pressed: pressed.map(([name]) => name) };
}

test("a type is added and removed, and Only chooses it alone", () => {
  expect(controls([]).choose("Models1,872")).toEqual(["REPOSITORY", "NOTEBOOK", "DATASET"]);
  expect(controls(["NOTEBOOK"]).choose("Models1,872")).toEqual(["NOTEBOOK", "MODEL"]);
  expect(controls(resourceTypes).choose("Models1,872")).toEqual(["REPOSITORY", "NOTEBOOK", "DATASET"]);
  expect(controls(resourceTypes).choose("Only Models")).toEqual(["MODEL"]);
  expect(controls(["NOTEBOOK", "DATASET"]).choose("Only Datasets")).toEqual(["DATASET"]);
});

test("all types come back from the only one", () => {
  expect(controls(["NOTEBOOK"]).choose("All types")).toEqual(resourceTypes);
  expect(controls(["NOTEBOOK"]).choose("Only Models")).toEqual(["MODEL"]);
});

test("what is chosen is pressed", () => {
  for (const all of [[], resourceTypes]) {
    expect(controls(all).pressed).toEqual(["Repositories0", "Notebooks0", "Datasets0", "Models1,872"]);
  }
  expect(controls(["NOTEBOOK", "MODEL"]).pressed).toEqual(["Notebooks0", "Models1,872"]);
  expect(controls(["MODEL"]).pressed).toEqual(["Models1,872"]);
});

test("counts of an earlier search are marked", () => {
  const markup = (stale: boolean) =>
    renderToStaticMarkup(TypeFilter({ chosen: [], counts: { MODEL: 3 }, stale, onChange: () => {} }));
  expect(markup(true)).toContain('aria-busy="true"');
  expect(markup(false)).toContain('aria-busy="false"');
});
