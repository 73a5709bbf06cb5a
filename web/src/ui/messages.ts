/** The words of these components. What a page says by them, its own folder's messages hold. */

export const backLinkMessages = { back: "Back" } as const;

export const chipsFieldMessages = {
  added: (noun: string) => `Added ${noun}s`,
  remove: (noun: string, value: string) => `Remove the ${noun} ${value}`,
  addOne: (noun: string) => `Add the ${noun}`,
  add: "Add",
} as const;

export const confirmByNameMessages = {
  confirm: "Delete",
  cancel: "Cancel",
  /** Around the name. */
  typeName: ["Type ", " to confirm"],
} as const;

export const copyMessages = {
  copy: "Copy",
  copyOne: (what: string) => `Copy ${what}`,
  copied: "Copied",
  failed: "Error copying",
  failedBody: "The browser does not allow it here. Select the text and copy it by hand.",
} as const;

export const dialogMessages = { close: "Close" } as const;

export const errorStateMessages = { retry: "Retry" } as const;

export const loadingMessages = { loading: "Loading" } as const;

export const markdownMessages = {
  picture: (name: string | undefined) => (name ? `Picture: ${name}` : "Picture"),
  done: "Done",
  open: "Not done",
} as const;

export const notebookFrameMessages = { reading: "Reading the notebook" } as const;

export const pagerMessages = {
  pages: "Pages",
  previous: "Previous",
  next: "Next",
  first: "This is the first page",
  last: "This is the last page",
  place: (page: number, pages: number) => `Page ${page} of ${pages}`,
} as const;

export const searchFormMessages = { search: "Search" } as const;

export const toasterMessages = {
  region: "Notifications",
  dismiss: (title: string) => `Dismiss: ${title}`,
} as const;
