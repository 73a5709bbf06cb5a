export const addRepositoryMessages = {
  step: (step: number) => `Step ${step} of 2`,
  where: "Where is it?",
  from: (files: readonly string[]) =>
    `The entry comes from the file ${files.map((file) => `\`${file}\``).join(" or ")} in the root of the repository, on the branch \`main\`, or else \`master\` or the default branch.`,
  address: "GitHub URL, or one of another code host",
  addressHint: "https://github.com/owner/name",
  addressHelp:
    "A repository on GitHub, GitLab, Codeberg, Bitbucket or any other server of git, such as https://github.com/owner/name. If it's private, {connect} first.",
  connect: "connect your account there",
  pull: (file: string) => `Pull ${file}`,
  pulling: (file: string) => `Pulling ${file}`,
  asking: "Checking one branch after another. This takes a few seconds.",
  cancel: "Cancel",
  cancelled: "Pulling was cancelled. Nothing was added, and the address is still here.",
  fileLike: (file: string) => `What ${file} looks like`,
  review: "Review what will be added",
  source: (file: string, branch: string) =>
    `This is what \`${file}\` says on the branch \`${branch}\`. To change it, edit that file, then pull it again.`,
  pullAgain: "Pull again",
  add: "Add Repository",
  done: "Success",
  doneText: "Repository created successfully",
  open: "Open the entry",
  failed: "Error",
  failedText: (reason: string) => `Failed to add repository. ${reason}`,
} as const;
