import sheet from "./workshops.css?url";

/**
 * The styles of the pages of workshops, as a file of their own: the style sheet of all pages, which each visit loads, has no
 * room for what few visits need.
 */
export function WorkshopStyles() {
  return <link rel="stylesheet" href={sheet} precedence="workshops" />;
}
