import { datasetCount } from "./datasetCount.messages";

export const createMessages = {
  created: "Project Created",
  createdWith: (project: string, datasets: number) => `${project}, with ${datasetCount(datasets)} and 1 repository.`,
  cannotCreate: "Error creating project",
  checkInput: "Please check your input and try again.",
} as const;
