import { createContext, type ReactNode, type RefObject, useContext, useId } from "react";
import projectStyles from "@/features/projects/ProjectPage.module.css";

/** The level of the headings: one more in a dialog, whose title is an h2. */
export const PartLevel = createContext<"h2" | "h3">("h2");

interface SharePartProps {
  title: string;
  /** The heading, for what takes the focus when a button goes away with its row. */
  heading?: RefObject<HTMLHeadingElement | null>;
  children: ReactNode;
}

/** A part of what there is about how a session is shared, below its heading. */
export function SharePart({ title, heading, children }: SharePartProps) {
  const Heading = useContext(PartLevel);
  const id = useId();
  return (
    <section className={projectStyles.section} aria-labelledby={id}>
      <Heading ref={heading} id={id} tabIndex={-1}>
        {title}
      </Heading>
      {children}
    </section>
  );
}
