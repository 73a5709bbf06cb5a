export const exampleMessages = {
  author: "you@example.org",
  name: "The name of your work",
  description: "What it does and for whom, in Markdown.",
  tags: ["neuroscience", "molecular dynamics"],
  entryName: "Spike sorting",
  entryDescription: "Sorts **spikes** of many electrodes.",
} as const;
