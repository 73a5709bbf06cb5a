import type { Parameter } from "@/api/types";
import { parameterMessages as messages, wrongValue } from "./parameters.messages";

/** What the field of a parameter holds. */
export interface Typed {
  /** Of all but booleans; lists and objects are in JSON. */
  text: string;
  /** Of booleans. */
  on: boolean;
  /** The value is null, whatever else the field holds. */
  none: boolean;
}

/** A value that was read from a field, or what is wrong with it. */
export type Read = { value: unknown } | { fault: string };

/** Longer JSON is spread over lines. */
const lineLength = 60;

/** What the field of a parameter holds for a value; undefined for none. */
export function typedOf(parameter: Parameter, value: unknown): Typed {
  return { text: textOf(parameter, value), on: value === true, none: value === null };
}

function textOf({ type }: Parameter, value: unknown): string {
  if (value === undefined || value === null) return "";
  if (type === "list" || type === "object") {
    const short = inLine(value);
    return short.length > lineLength ? JSON.stringify(value, null, 2) : short;
  }
  return type === "boolean" ? "" : String(value);
}

/** JSON in a line, such as [1, 2]. Only between its parts has JSON line breaks. */
function inLine(value: unknown): string {
  const text = JSON.stringify(value, null, 1) ?? "";
  return text.replace(/\n */g, (gap, at: number) =>
    /[[{]/.test(text[at - 1] ?? "") || /[\]}]/.test(text[at + gap.length] ?? "") ? "" : " ",
  );
}

/** Whether the notebook leaves the value to whoever runs it. */
export const isNeeded = (parameter: Parameter): boolean =>
  parameter.type !== "unknown" && parameter.default === undefined;

/** Reads the value of a field. */
export function readTyped({ type }: Parameter, { text, on, none }: Typed): Read {
  if (none) return { value: null };
  switch (type) {
    case "boolean":
      return { value: on };
    case "number":
    case "integer":
      return readNumber(type, text.trim());
    case "list":
    case "object":
      return readJson(type, text);
    default:
      return { value: text };
  }
}

function readNumber(type: "number" | "integer", text: string): Read {
  const value = text === "" ? Number.NaN : Number(text);
  if (!Number.isFinite(value)) return { fault: wrongValue[type] };
  if (type === "number") return { value };
  if (!Number.isInteger(value)) return { fault: wrongValue.integer };
  // Beyond, numbers of JavaScript skip some.
  return Number.isSafeInteger(value) ? { value } : { fault: messages.large };
}

function readJson(type: "list" | "object", text: string): Read {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { fault: wrongValue[type] };
  }
  const fits = type === "list" ? Array.isArray(value) : isObject(value);
  return fits ? { value } : { fault: wrongValue[type] };
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a field holds another value than the notebook assigns. */
export function isChanged(parameter: Parameter, typed: Typed): boolean {
  const read = readTyped(parameter, typed);
  return "fault" in read || !same(read.value, parameter.default);
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The fields that somebody has changed, by the names of their parameters. */
export type Changes = Readonly<Record<string, Typed>>;

/** What the fields of a notebook hold when it is run again with values that were given before. */
export function changesFrom(parameters: readonly Parameter[], given: Readonly<Record<string, unknown>>): Changes {
  const known = parameters.filter(({ name, type }) => type !== "unknown" && Object.hasOwn(given, name));
  return Object.fromEntries(known.map((each) => [each.name, typedOf(each, given[each.name])]));
}

/** The values to send, which are those that differ from the notebook's, and what is wrong with others, by name. */
export function chosenValues(parameters: readonly Parameter[], changes: Changes) {
  const values: Record<string, unknown> = {};
  const faults: Record<string, string> = {};
  for (const parameter of parameters) {
    const { name, type } = parameter;
    const needed = isNeeded(parameter);
    const typed = Object.hasOwn(changes, name) ? changes[name] : undefined;
    if (type === "unknown" || (!typed && !needed)) continue;
    if (!typed && type !== "boolean") {
      faults[name] = messages.missing;
      continue;
    }
    const read = readTyped(parameter, typed ?? typedOf(parameter, undefined));
    if ("fault" in read) faults[name] = read.fault;
    else if (needed || !same(read.value, parameter.default)) values[name] = read.value;
  }
  return { values, faults };
}

/** A value as a line of text. */
export const shownValue = (value: unknown): string => (typeof value === "string" ? value : inLine(value));
