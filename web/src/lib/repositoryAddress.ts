/** The address of a repository while somebody types it; `cut` when its ".git" was taken away. */
export interface TypedAddress {
  text: string;
  cut: boolean;
}

const ending = ".git";

/**
 * What the field shows after an input: a trailing ".git" disappears as soon as it is typed. It comes back when the name
 * goes on behind it, as that of owner/owner.github.io does.
 */
export function typedAddress(before: TypedAddress, typed: string): TypedAddress {
  const added = typed.startsWith(before.text) ? typed.slice(before.text.length) : "";
  const whole = before.cut && /^[\w-]/.test(added) ? before.text + ending + added : typed;
  const cut = whole.endsWith(ending);
  return { text: cut ? whole.slice(0, -ending.length) : whole, cut };
}
