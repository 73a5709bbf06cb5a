import { ProgressState } from "@/ui/ProgressState";
import { indexStateMessages as messages } from "./IndexState.messages";

interface IndexStateProps {
  /** How far it is, as the server said it. */
  message: string;
  percent: number | undefined;
}

/** The search is not ready yet; the page asks again by itself. */
export function IndexState(progress: IndexStateProps) {
  return <ProgressState title={messages.title} label={messages.bar} {...progress} />;
}
