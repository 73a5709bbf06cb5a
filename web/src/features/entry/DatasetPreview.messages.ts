export const datasetPreviewMessages = {
  title: "Files",
  elsewhere: (host: string) => `The data lives at ${host}, so there is no preview of it here.`,
  downloadAll: "Download all (.zip)",
  signIn: "Sign in to download files.",
  failure: "The files could not be read.",
  loading: "Loading the files",
} as const;
