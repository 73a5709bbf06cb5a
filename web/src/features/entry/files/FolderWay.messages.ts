export const folderWayMessages = {
  back: "Back",
  noneBefore: "No folder was opened before.",
  label: "Folder",
  root: "root",
} as const;
