const guessed = "Author names are guessed from e-mail addresses. Check them.";
const ofRun = "The address is that of the run's crate: what ran, in which environment, and what came out.";

export const citeDialogMessages = {
  guessed,
  ofRun,
  ofRunGuessed: `${ofRun} ${guessed}`,
  title: (kind: string) => `Cite this ${kind.toLowerCase()}`,
  loading: "Preparing the citation",
  failure: "The citation can't be shown",
  formats: "Formats",
  copy: (format: string) => `citation as ${format}`,
  asAsked: "From the repository's CITATION.cff.",
  ofEntry: "The people, the version and the date are those of this entry.",
  runTitle: "Cite this run",
} as const;
