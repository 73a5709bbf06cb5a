const anyOf = (values: readonly string[]) => (values.length === 0 ? "any" : values.join(", "));

export const nothingFoundMessages = {
  title: "No resources found with the following criteria",
  all: "Show the whole catalog",
  text: "Text",
  tags: "Tags",
  types: "Types",
  anyOf,
} as const;
