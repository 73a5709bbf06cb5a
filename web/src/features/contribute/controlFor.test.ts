import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { CheckedField } from "@/api/types";
import { controlFor } from "./controlFor";

const named = (name: string, value = "") => ({ name, value });

/** A form with these controls, by field. */
function formOf(fields: Record<string, { name: string; value: string }[]>) {
  return {
    querySelectorAll: (selector: string) => fields[/data-field="(\w+)"/.exec(selector)?.[1] ?? ""] ?? [],
  };
}

test.each(["name", "description", "tags", "license", "version", "doi", "people"])(
  "#%s leads to its control",
  (field) => {
    expect(controlFor(formOf({ [field]: [named(field), named("other")] }), field)).toEqual(named(field));
  },
);

test("#orcid leads to the first person without one, else to the first person, else to the button that adds one", () => {
  const orcids = [named("first", "0000-0002-1825-0097"), named("second")];
  expect(controlFor(formOf({ orcid: orcids }), "orcid")?.name).toBe("second");
  expect(controlFor(formOf({ orcid: orcids.slice(0, 1) }), "orcid")?.name).toBe("first");
  expect(controlFor(formOf({ people: [named("Add a person")] }), "orcid")?.name).toBe("Add a person");
});

test.each(["", "no-such", '"]', "nowhere"])("#%s leads nowhere", (field) => {
  expect(controlFor(formOf({ license: [named("license")] }), field)).toBeUndefined();
});

/** What a check of the score may name, and whether its control is a text on a line of its own. */
const checked: Record<CheckedField, boolean> = {
  description: false,
  doi: true,
  license: true,
  orcid: false,
  people: false,
  tags: false,
  version: true,
};

test.each(Object.entries(checked))("the form has the field %s, which a check names", (field, isText) => {
  const forms = ["EntryForm", "CitedFields"].map((name) => readFileSync(`src/features/contribute/${name}.tsx`, "utf8"));
  expect(forms.join("")).toMatch(isText ? "<FormPart field={field}>" : new RegExp(`field="${field}"`));
  expect(forms.join("")).toMatch(`"${field}"`);
});
