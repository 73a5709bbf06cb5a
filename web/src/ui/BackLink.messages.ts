/** The words of these components. Texts that a page passes to them are in its own folder's messages. */

export const backLinkMessages = { back: "Back" } as const;
