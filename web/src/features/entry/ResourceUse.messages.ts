export const resourceUseMessages = {
  repository: "Use this repository",
  dataset: "Use this dataset",
  model: "Run this model",
} as const;
