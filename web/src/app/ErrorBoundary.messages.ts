/** The texts of the frame around all pages. */

export const errorBoundaryMessages = {
  heading: "Something went wrong",
  title: "This page could not be shown.",
  kept: "The other pages work, and nothing that was saved is lost. Reload it to try again.",
  reload: "Reload",
} as const;
