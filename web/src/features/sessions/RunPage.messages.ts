export const runPageMessages = {
  title: (name: string) => `Run ${name}`,
  window: "Run",
  nothingYet: "Nothing has started yet. Check what will run, then press the button.",
  loading: "Loading what would run",
  facts: "What would run",
  what: "What",
  whose: "Whose",
  opens: "Opens",
  opensRule: "The file it specifies, or else its first notebook or the list of files",
  opensNotebook: "This notebook",
  opensDataset: "explore.ipynb, a notebook that loads the data",
  ref: "At",
  sessionName: "Session name",
  code: "Code",
  data: "Data",
  noData: "None",
  environment: "Environment",
  declared:
    "Python in Jupyter, with the packages that the repository declares. What could not be installed is listed when it starts.",
  plain: "Python in Jupyter, with the packages that this server has",
  takes: "Takes",
  ignored: (names: string[]) =>
    names.length === 1
      ? `The link also has the parameter ${names[0]}, which isn't used here and is ignored.`
      : `The link also has the parameters ${names.join(", ")}, which aren't used here and are ignored.`,
  absent: "There is nothing to run at this address.",
  absentWhy: "The entry or project does not exist, or it is private.",
  failure: "What would run cannot be loaded.",
} as const;
