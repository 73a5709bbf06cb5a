/** The texts of these components. Texts that a page passes to them are in its folder's messages. */

export const backLinkMessages = { back: "Back" } as const;
