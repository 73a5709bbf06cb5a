/** The numbers of the product (section 9 of its specification), in milliseconds, pixels and items. */

export const requestTimeout = 10_000;
export const pageSize = 100;

/** Characters of a description on a card. */
export const cardLength = 280;

/** The debounce of typing, and the delay before the settled text is sent. */
export const searchDebounce = 400;
export const searchSendDelay = 200;

/** A server that doesn't answer is retried after this time, which then doubles, up to the second value. */
export const connectionProbe = 2_000;
export const longestConnectionProbe = 30_000;

/** The pickers of a project wait this long for typing to rest. */
export const pickerDebounce = 1_500;

export const toastDuration = { info: 5_000, error: 5_000, success: 2_000, loading: Number.POSITIVE_INFINITY } as const;
export const tooltipOpenDelay = 1_000;
export const tooltipCloseDelay = 500;

/** CSS can't read these: the media queries of the style sheets repeat them. */
export const breakpoints = { phone: 480, tablet: 768, desktop: 1024, wide: 1280, huge: 1536 } as const;

/** The parameter of addresses that has the text of a search. */
export const searchParameter = "searchText";
