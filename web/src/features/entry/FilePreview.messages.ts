export const filePreviewMessages = {
  download: (size: string) => `Download (${size})`,
  digest: "Show SHA-256",
  notAFile: "This isn't a regular file, so it can't be shown.",
  noPreview: "This type of file can't be previewed.",
  inSession: "In a session, it's at {path}.",
  failure: "The file couldn't be loaded.",
  loading: "Loading the file",
} as const;
