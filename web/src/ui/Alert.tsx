import type { ReactNode } from "react";
import { Note } from "./Note";

interface AlertProps {
  /** One sentence: the error, or the information. */
  title: ReactNode;
  /** For failures: screen readers announce it at once. */
  failed?: boolean;
  /** Why, and what to do. */
  children?: ReactNode;
}

/** A note with a title, at the place it is about. */
export function Alert({ title, failed = false, children }: AlertProps) {
  return (
    <Note kind={failed ? "error" : "info"} title={title} {...(failed && { role: "alert" })}>
      {children}
    </Note>
  );
}
