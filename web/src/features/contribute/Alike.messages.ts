export const alikeMessages = {
  title: "Is it already in the catalog?",
  text: (count: number) => (count === 1 ? "This entry has the same name:" : "These entries have the same name:"),
} as const;
