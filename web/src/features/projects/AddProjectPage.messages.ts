import { datasetCount } from "./datasetCount.messages";

export const addProjectMessages = {
  subtitle: "One repository and the datasets it needs: what a session is started from.",
  loading: "Loading the parts of the project",
  cannotLoad: "The parts of the project cannot be loaded.",
  /** What the address names and isn't available. */
  missing: (repository: boolean, datasets: number) => {
    const parts = [...(repository ? ["the repository"] : []), ...(datasets > 0 ? [datasetCount(datasets)] : [])];
    return `Of what the link names, ${parts.join(" and ")} cannot be used: gone, not of that type, or not shown to you.`;
  },
} as const;
