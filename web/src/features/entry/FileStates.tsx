import { messageOf, Problem } from "@/api/problem";
import { ErrorState } from "@/ui/ErrorState";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { filePreviewMessages as messages } from "./FilePreview.messages";
import styles from "./FilePreview.module.css";

/** A refusal by the server is information about the file; other errors are failures. */
export function Failed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  if (error instanceof Problem && error.status >= 400 && error.status < 500) {
    return <p className={styles.note}>{error.message}</p>;
  }
  return <ErrorState title={messages.failure} message={messageOf(error)} onRetry={onRetry} />;
}

/** A file that is being read. */
export function Waiting() {
  return (
    <SkeletonPlace label={messages.loading} className={styles.waiting}>
      <Skeleton height="13em" />
      <Skeleton height="16em" />
    </SkeletonPlace>
  );
}
