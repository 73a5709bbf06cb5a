import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import type { Parameter } from "@/api/types";
import { ParameterField } from "./ParameterField";
import type { Typed } from "./parameters";

const nothing = () => {};

function drawn(parameter: Parameter, change?: Typed, error?: string): string {
  const on = { onChange: nothing, onReset: nothing, onFault: nothing };
  return renderToStaticMarkup(createElement(ParameterField, { parameter, change, error, ...on }));
}

it.each<[Parameter, RegExp]>([
  [{ name: "region", type: "string", default: "<b>" }, /<input autoComplete="off" id="(.+?)"[^>]* value="&lt;b&gt;"/i],
  [{ name: "runs", type: "integer", default: 3 }, /type="number" step="1"[^>]* value="3"/],
  [{ name: "threshold", type: "number", default: 0.5 }, /type="number" step="any"[^>]* value="0.5"/],
  [{ name: "fast", type: "boolean", default: true }, /type="checkbox"[^>]* checked=""/],
  [{ name: "bins", type: "list", default: [1, 2] }, /<textarea[^>]*>\[1, 2\]<\/textarea>/],
  [{ name: "seed", type: "integer", nullable: true, default: null }, /disabled=""[^>]* value=""/],
  [{ name: "start", type: "unknown" }, /readOnly=""/i],
])("%j has a field of its type, with its name", (parameter, field) => {
  const html = drawn(parameter);
  expect(html).toMatch(field);
  const [, label] = /<label[^>]* for="([^"]+)"/.exec(html) ?? [];
  expect(html).toContain(` id="${label}"`);
  expect(html).toContain(`>${parameter.name}</label>`);
});

it("what is wrong is read out with the field, and so is its help", () => {
  const html = drawn(
    { name: "runs", type: "integer", default: 3, help: "How often" },
    undefined,
    "Enter a whole number.",
  );
  const [, described = ""] = /<input[^>]* aria-describedby="([^"]+)"/.exec(html) ?? [];
  const texts = described.split(" ").map((id) => new RegExp(`<p id="${id}"[^>]*>(.*?)</p>`).exec(html)?.[1]);
  expect(texts).toEqual(["How often", "Enter a whole number."]);
  expect(html).toContain('aria-invalid="true"');
});

it("only what was changed can be reset", () => {
  const parameter: Parameter = { name: "region", type: "string", default: "north" };
  const typed = (text: string) => ({ text, on: false, none: false });
  expect(drawn(parameter)).not.toContain("<button");
  expect(drawn(parameter, typed("north"))).not.toContain("<button");
  expect(drawn(parameter, typed("south"))).toContain('aria-label="Reset region to its default"');
});
