/** The search on the landing page. The examples find entries of the demo. */
export const landingSearchMessages = {
  label: "Search the catalog",
  placeholder: "Method, tool, field or author",
  search: "Search",
  try: "Try",
  examples: ["neuron model", "molecular dynamics", "spike train"],
} as const;
