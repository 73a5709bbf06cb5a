import { datasetCount } from "./datasetCount.messages";

export const saveMessages = {
  created: "Project Created",
  createdWith: (project: string, datasets: number) => `${project}, with ${datasetCount(datasets)} and 1 repository.`,
  show: "Show the project",
  cannotCreate: "Error creating project",
  checkInput: "Please check your input and try again.",
  saved: "Project saved",
  cannotSave: "Error saving project",
  kept: "What you wrote is still here. The form says what to fix.",
} as const;
