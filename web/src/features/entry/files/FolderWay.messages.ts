export const folderWayMessages = {
  back: "Back",
  noneBefore: "You're at the first folder.",
  label: "Folder",
  root: "root",
} as const;
