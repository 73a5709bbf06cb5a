export const newVersionMessages = {
  title: "Upload a new version",
  means: "The new version has the files that you upload here, and no others. Earlier versions stay as they are.",
  note: "What is new",
  noteHelp: "Such as: Corrected the units in column 3. It's shown in the list of versions.",
  add: "Add the version",
  notYet: "First, all files have to be uploaded.",
  noFiles: "Choose files first.",
  failed: (reason: string) => `Not added. ${reason} Your uploads are still here.`,
  damaged: "Not added. Some files arrived damaged and are being uploaded again. Add the version when that's done.",
  added: "Version added",
  addedText: (n: number) => `It's version ${n} now.`,
} as const;
