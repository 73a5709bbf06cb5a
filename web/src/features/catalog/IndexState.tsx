import { ProgressState } from "@/ui/ProgressState";
import { indexStateMessages as messages } from "./IndexState.messages";

interface IndexStateProps {
  /** How far it is, as the server said it. */
  message: string;
  percent: number | undefined;
}

/** The search isn't ready yet; the page retries automatically. */
export function IndexState(progress: IndexStateProps) {
  return <ProgressState title={messages.title} label={messages.bar} {...progress} />;
}
