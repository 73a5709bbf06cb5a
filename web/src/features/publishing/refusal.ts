import { Problem } from "@/api/problem";

/** Where the form of an entry has no field. */
const elsewhere = /^body\.(as|note|paths|upload)\b/;

/**
 * A refusal as the form of an entry can show it: its fields are those of the form, and what is wrong with other parts of the
 * request is said in its sentence.
 */
export function refusalOf(error: unknown): unknown {
  if (!(error instanceof Problem)) return error;
  const fields = error.fields
    .map(({ location, ...field }) => ({ ...field, location: location.replace(/^body\.as\.new\./, "body.") }))
    .filter(({ location }) => !elsewhere.test(location));
  return new Problem(error.status, error.message, { code: error.code, fields });
}
