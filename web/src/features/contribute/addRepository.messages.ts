export const addRepositoryMessages = {
  step: (step: number) => `Step ${step} of 2`,
  where: "Where is it?",
  from: (files: readonly string[]) =>
    `The entry is made from the file ${files.map((file) => `\`${file}\``).join(" or ")} in the root of the repository: on the branch \`main\`, else \`master\`, else the default branch.`,
  address: "GitHub URL",
  addressHint: "https://github.com/owner/name",
  addressHelp: "A public repository on GitHub, such as https://github.com/owner/name.",
  pull: (file: string) => `Pull ${file}`,
  pulling: (file: string) => `Pulling ${file}`,
  asking: "GitHub is asked for one branch after the other. That takes a few seconds.",
  cancel: "Cancel",
  cancelled: "Pulling was cancelled. Nothing was added, and the address is still here.",
  fileLike: (file: string) => `What ${file} looks like`,
  review: "Review what will be added",
  source: (file: string, branch: string) =>
    `This is what \`${file}\` says on the branch \`${branch}\`. To change it, change that file, then pull it again.`,
  pullAgain: "Pull again",
  add: "Add Repository",
  done: "Success",
  doneText: "Repository created successfully",
  failed: "Error",
  failedText: (reason: string) => `Failed to add repository. ${reason}`,
} as const;
