import sheet from "./connections.css?url";

/**
 * The styles of the page of connected accounts, as a file of their own: the style sheet of all pages, which each visit loads,
 * has no room for what few visits need.
 */
export function ConnectionStyles() {
  return <link rel="stylesheet" href={sheet} precedence="connections" />;
}
