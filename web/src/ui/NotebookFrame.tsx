import { type ReactNode, useState } from "react";
import { Skeleton, SkeletonPlace } from "./Loading";
import { notebookFrameMessages as words } from "./NotebookFrame.messages";
import styles from "./NotebookFrame.module.css";

/** A notebook as the server renders it. The server's security policy blocks all its scripts. */
export function NotebookFrame({ address, title }: { address: string; title: string }) {
  const [shown, setShown] = useState(false);
  return (
    <div className={styles.place}>
      <iframe
        className={styles.frame}
        src={address}
        title={title}
        sandbox="allow-popups allow-popups-to-escape-sandbox"
        referrerPolicy="no-referrer"
        loading="lazy"
        onLoad={() => setShown(true)}
      />
      {!shown && <Waiting />}
    </div>
  );
}

/** The placeholder of a frame. */
export function NotebookPlace() {
  return (
    <div className={styles.place}>
      <Waiting />
    </div>
  );
}

/** Skeletons of text and code. */
function Waiting(): ReactNode {
  return (
    <SkeletonPlace label={words.reading} className={styles.waiting}>
      <Skeleton width="40%" height="1.5em" />
      <Skeleton height="4em" />
      <Skeleton height="9em" />
      <Skeleton height="16em" />
    </SkeletonPlace>
  );
}
