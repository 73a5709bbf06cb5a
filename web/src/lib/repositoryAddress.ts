/** A repository's address while it is being typed; `cut` if its ".git" was removed. */
export interface TypedAddress {
  text: string;
  cut: boolean;
}

const ending = ".git";

/**
 * Returns the field's value after an input. A trailing ".git" is removed as soon as it is typed, and restored when the name
 * continues, as in owner/owner.github.io.
 */
export function typedAddress(before: TypedAddress, typed: string): TypedAddress {
  const added = typed.startsWith(before.text) ? typed.slice(before.text.length) : "";
  const whole = before.cut && /^[\w-]/.test(added) ? before.text + ending + added : typed;
  const cut = whole.endsWith(ending);
  return { text: cut ? whole.slice(0, -ending.length) : whole, cut };
}
