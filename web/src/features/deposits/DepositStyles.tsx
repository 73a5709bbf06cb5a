import sheet from "./deposits.css?url";

/** The styles of deposits, as a file of their own: only authors need them. */
export function DepositStyles() {
  return <link rel="stylesheet" href={sheet} precedence="deposits" />;
}
