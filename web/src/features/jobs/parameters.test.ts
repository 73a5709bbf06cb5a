import { describe, expect, it } from "vitest";
import type { Parameter } from "@/api/types";
import { changesFrom, chosenValues, isChanged, readTyped, shownValue, typedOf } from "./parameters";

const of = (type: Parameter["type"], rest: Partial<Parameter> = {}): Parameter => ({ name: "p", type, ...rest });
const typed = (text: string) => ({ text, on: false, none: false });

describe("what a field holds", () => {
  it.each<[Parameter["type"], unknown, string]>([
    ["string", "north", "north"],
    ["string", undefined, ""],
    ["integer", 3, "3"],
    ["number", 0.5, "0.5"],
    ["number", 1e21, "1e+21"],
    ["list", [1, "a"], '[1, "a"]'],
    ["object", {}, "{}"],
    [
      "list",
      ["a rather long text of a list", "and another one, nearly as long"],
      '[\n  "a rather long text of a list",\n  "and another one, nearly as long"\n]',
    ],
  ])("%s %j is %j, and is read as it was", (type, value, text) => {
    const field = typedOf(of(type), value);
    expect(field.text).toBe(text);
    if (value !== undefined) expect(readTyped(of(type), field)).toEqual({ value });
  });

  it("a boolean is on or off", () => {
    expect(readTyped(of("boolean"), typedOf(of("boolean"), true))).toEqual({ value: true });
    expect(readTyped(of("boolean"), typedOf(of("boolean"), undefined))).toEqual({ value: false });
  });

  it("null is no text", () => {
    const field = typedOf(of("string", { nullable: true }), null);
    expect(field).toEqual({ text: "", on: false, none: true });
    expect(readTyped(of("string"), field)).toEqual({ value: null });
  });
});

describe("what is wrong with a value", () => {
  it.each<[Parameter["type"], string, RegExp]>([
    ["number", "", /Enter a number/],
    ["number", "north", /Enter a number/],
    ["number", "1e999", /Enter a number/],
    ["integer", "1.5", /whole number/],
    ["integer", "12345678901234567890", /this large/],
    ["list", "", /list in JSON/],
    ["list", "[1, 2", /list in JSON/],
    ["list", '{"a": 1}', /list in JSON/],
    ["object", "[1]", /object in JSON/],
    ["object", "null", /object in JSON/],
  ])("%s %j", (type, text, words) => {
    expect(readTyped(of(type), typed(text))).toEqual({ fault: expect.stringMatching(words) });
  });

  it.each<[Parameter["type"], string, unknown]>([
    ["integer", " 5 ", 5],
    ["integer", "3.0", 3],
    ["number", "-1e-3", -0.001],
    ["list", " [ ] ", []],
    ["string", " as it is ", " as it is "],
  ])("nothing with %s %j", (type, text, value) => {
    expect(readTyped(of(type), typed(text))).toEqual({ value });
  });
});

describe("what is sent", () => {
  const parameters: Parameter[] = [
    { name: "region", type: "string", default: "north" },
    { name: "runs", type: "integer", default: 3 },
    { name: "bins", type: "list", default: [1, 2] },
    { name: "fast", type: "boolean", default: false },
    { name: "seed", type: "integer", default: null, nullable: true },
    { name: "path", type: "unknown" },
  ];

  it("is nothing at first", () => {
    expect(chosenValues(parameters, {})).toEqual({ values: {}, faults: {} });
  });

  it("is what was changed, and not what was changed back", () => {
    const changes = {
      region: typed("south"),
      runs: typed("3"),
      bins: typed("[1,2]"),
      fast: { text: "", on: true, none: false },
      seed: typed("7"),
    };
    expect(chosenValues(parameters, changes)).toEqual({ values: { region: "south", fast: true, seed: 7 }, faults: {} });
    expect(parameters.slice(0, 3).map((each) => isChanged(each, changes[each.name as "runs"]))).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("is refused with what is wrong", () => {
    const { values, faults } = chosenValues(parameters, { runs: typed("many"), region: typed("") });
    expect(values).toEqual({ region: "" });
    expect(Object.keys(faults)).toEqual(["runs"]);
  });

  it("has what the notebook leaves open", () => {
    const open: Parameter[] = [
      { name: "site", type: "string" },
      { name: "fast", type: "boolean" },
    ];
    expect(chosenValues(open, {})).toEqual({
      values: { fast: false },
      faults: { site: expect.stringMatching(/enter one/) },
    });
    expect(chosenValues(open, { site: typed("Jena") })).toEqual({ values: { site: "Jena", fast: false }, faults: {} });
  });

  it("has nothing that an object's own members look like", () => {
    expect(chosenValues([{ name: "constructor", type: "string", default: "a" }], {})).toEqual({
      values: {},
      faults: {},
    });
  });

  it("is the same when it's run again", () => {
    const given = { region: "south", bins: [3], seed: null, path: "x", gone: 1 };
    const changes = changesFrom(parameters, given);
    expect(Object.keys(changes)).toEqual(["region", "bins", "seed"]);
    expect(chosenValues(parameters, changes).values).toEqual({ region: "south", bins: [3] });
  });
});

it.each([
  ["north", "north"],
  [3, "3"],
  [[1, 2], "[1, 2]"],
  [{ a: ["[ {", []], b: {} }, '{"a": ["[ {", []], "b": {}}'],
  [null, "null"],
])("%j is shown as %s", (value, text) => {
  expect(shownValue(value)).toBe(text);
});
