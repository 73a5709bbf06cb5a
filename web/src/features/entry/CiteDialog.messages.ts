const guessed = "Author names are guessed from e-mail addresses. Check them.";
const ofRun = "The link points to the run's crate: code, environment and results.";

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
  ofEntry: (hasVersion: boolean) =>
    hasVersion ? "Authors, version and date come from this entry." : "Authors and date come from this entry.",
  runTitle: "Cite this run",
} as const;
