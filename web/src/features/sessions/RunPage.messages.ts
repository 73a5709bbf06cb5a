export const runPageMessages = {
  title: (name: string) => `Run ${name}`,
  window: "Run",
  nothingYet: "Nothing runs until you press the button.",
  loading: "Loading what will run",
  facts: "What will run",
  what: "What",
  whose: "By",
  opens: "Opens",
  opensRule: "The file it specifies, or else its first notebook or the list of files",
  opensNotebook: "This notebook",
  opensDataset: "explore.ipynb, a notebook that loads the data",
  ref: "Branch, tag or commit",
  version: "Version",
  sessionName: "Session name",
  code: "Code",
  data: "Data",
  noData: "None",
  environment: "Environment",
  declared:
    "Jupyter, with the packages that the repository declares. Anything that can't be installed is listed when it starts.",
  plain: "Jupyter, with this server's packages",
  lastRun: "Last run",
  takes: "Start time",
  ignored: (names: string[]) =>
    names.length === 1
      ? `The link's parameter ${names[0]} isn't used here and is ignored.`
      : `The link's parameters ${names.join(", ")} aren't used here and are ignored.`,
  absent: "There is nothing to run at this address.",
  absentWhy: "The entry or project doesn't exist, or it's private.",
  failure: "What will run couldn't be loaded.",
} as const;
