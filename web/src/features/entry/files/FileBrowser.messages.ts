/** The texts of the file browser, by component. */

export const fileBrowserMessages = {
  title: "Files",
  branch: "Branch ",
  openIn: (host: string) => `Open in ${host}`,
  label: (folder: string) => `Files in ${folder}`,
  root: "root",
} as const;
