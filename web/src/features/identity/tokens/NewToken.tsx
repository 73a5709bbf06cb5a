import { useEffect, useRef } from "react";
import type { CreatedToken } from "@/api/types";
import { Button } from "@/ui/Button";
import { CopyText } from "@/ui/CopyText";
import { Note } from "@/ui/Note";
import { newTokenMessages as words } from "./NewToken.messages";
import styles from "./NewToken.module.css";

interface NewTokenProps {
  token: CreatedToken;
  onDone: () => void;
}

/** The secret of a token that was just created, until the viewer has copied it or leaves the page. */
export function NewToken({ token, onDone }: NewTokenProps) {
  const panel = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new token is read out.
  useEffect(() => panel.current?.focus(), [token.id]);
  return (
    <section ref={panel} className={styles.panel} tabIndex={-1} aria-label={words.title(token.name)}>
      <Note kind="info" title={words.title(token.name)}>
        <p>{words.once}</p>
        <CopyText label={words.label} text={token.token} />
        <p>{words.use}</p>
        <div>
          <Button size="small" onClick={onDone}>
            {words.done}
          </Button>
        </div>
      </Note>
    </section>
  );
}
