import type { ResourceType } from "@/api/types";

export const kindMessages: Record<ResourceType | "OTHER", { label: string; plural: string; description: string }> = {
  REPOSITORY: {
    label: "Repository",
    plural: "Repositories",
    description: "Code with its full history. Open it in a session or clone it.",
  },
  NOTEBOOK: {
    label: "Notebook",
    plural: "Notebooks",
    description: "Worked examples with text, code and plots. Read them here or run them.",
  },
  DATASET: {
    label: "Dataset",
    plural: "Datasets",
    description: "Data that sessions read directly, without a copy of your own.",
  },
  MODEL: {
    label: "Model",
    plural: "Models",
    description: "Versioned applications you can run as experiments on the workflow platform.",
  },
  OTHER: { label: "Other", plural: "Others", description: "" },
};
