export const quoted = (names: string[]) => names.map((name) => `“${name}”`).join(", ");
