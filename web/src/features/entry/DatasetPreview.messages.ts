export const datasetPreviewMessages = {
  title: "Files",
  elsewhere: (host: string) => `The data is hosted at ${host}, so there's no preview here.`,
  signIn: "Sign in to download files.",
  failure: "The files couldn't be loaded.",
  missing: (file: string) => `There's no file ${file} in this list.`,
  loading: "Loading the files",
} as const;
