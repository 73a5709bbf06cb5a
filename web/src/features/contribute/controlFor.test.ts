import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
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

// The score names fields; each must be in the form.
test("every field that a check names is a part of the form", () => {
  const checks = readFileSync("../internal/fair/checks.go", "utf8");
  const fields = new Set([...checks.matchAll(/edit\("[^"]*", "[^"]*", "(\w+)"\)/g)].map(([, field]) => field));
  const forms = ["EntryForm", "CitedFields"].map((name) => readFileSync(`src/features/contribute/${name}.tsx`, "utf8"));
  expect([...fields].toSorted()).toEqual(["description", "doi", "license", "orcid", "people", "tags", "version"]);
  for (const field of fields) {
    const isText = ["version", "doi", "license"].includes(field ?? "");
    expect(forms.join(""), field).toMatch(
      isText ? "<FormPart key={name} field={name}>" : new RegExp(`field="${field}"`),
    );
  }
});
