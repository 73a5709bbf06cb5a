import { datasetCount } from "./datasetCount.messages";

export const addProjectMessages = {
  subtitle: "One repository and the datasets it needs, to start sessions from.",
  loading: "Loading the parts of the project",
  cannotLoad: "The parts of the project cannot be loaded.",
  /** What the address names and isn't available. */
  missing: (repository: boolean, datasets: number) => {
    const parts = [...(repository ? ["the repository"] : []), ...(datasets > 0 ? [datasetCount(datasets)] : [])];
    return `Some parts in this link can't be used: ${parts.join(" and ")}. They were deleted, are of another type, or aren't visible to you.`;
  },
} as const;
