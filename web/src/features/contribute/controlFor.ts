/** As much of an element as the search for a control needs. */
export interface Searched<Control> {
  querySelectorAll: (selector: string) => ArrayLike<Control>;
}

const controls = "input, select, textarea, button";

/**
 * Returns the control with which the field of a name is changed: the first empty one if there are several, such as the
 * ORCID iD of somebody without one; where there is nobody yet, the button that adds a person.
 */
export function controlFor<Control extends { value?: string }>(
  form: Searched<Control>,
  field: string,
): Control | undefined {
  if (!/^[a-zA-Z]+$/.test(field)) return undefined;
  const inside = Array.from(form.querySelectorAll(`[data-field="${field}"] :is(${controls})`));
  if (field === "orcid") return inside.find(({ value }) => value === "") ?? inside[0] ?? controlFor(form, "people");
  return inside[0];
}
