export const unknownTypesMessages = {
  invalidType: "Invalid resource type",
  validTypes: (unknown: string, types: readonly string[]) =>
    `There is no type ${unknown}. The types are ${types.join(", ")}.`,
} as const;
