import type { ResourceType } from "@/api/types";

export const kindMessages: Record<ResourceType | "OTHER", { label: string; plural: string; description: string }> = {
  REPOSITORY: {
    label: "Repository",
    plural: "Repositories",
    description: "Code with its history, ready to be opened in a session or cloned to your own machine.",
  },
  NOTEBOOK: {
    label: "Notebook",
    plural: "Notebooks",
    description: "Worked examples in text, code and pictures, to read here or to run in a session.",
  },
  DATASET: {
    label: "Dataset",
    plural: "Datasets",
    description: "Data that sessions can read, local or remote, without a copy of your own.",
  },
  MODEL: {
    label: "Model",
    plural: "Models",
    description: "Applications with their version, to be run as experiments on the workflow platform.",
  },
  OTHER: { label: "Other", plural: "Others", description: "" },
};
