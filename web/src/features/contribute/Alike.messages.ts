export const alikeMessages = {
  title: "Is it in the catalog already?",
  text: (count: number) => (count === 1 ? "This entry has the same name:" : "These entries have the same name:"),
} as const;
