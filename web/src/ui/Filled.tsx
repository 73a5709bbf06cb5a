import { Fragment, type ReactNode } from "react";

interface FilledProps {
  /** A whole sentence of a messages file, with names in braces where elements belong. */
  text: string;
  /** What belongs there, by these names. */
  values: Readonly<Record<string, ReactNode>>;
}

/** A sentence with elements in it, so that its messages file has it whole. */
export function Filled({ text, values }: FilledProps) {
  return text.split(/[{}]/).map((part, i) => (i % 2 === 1 ? <Fragment key={part}>{values[part]}</Fragment> : part));
}
