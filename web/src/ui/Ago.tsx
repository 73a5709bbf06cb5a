import { ago, moment as exactly } from "@/lib/format";

interface AgoProps {
  moment: string;
  /** The current time in milliseconds since 1970, for callers that update it. */
  now?: number;
  className?: string | undefined;
}

/** How long ago something was, with the exact time as a tooltip. */
export function Ago({ moment, now, className }: AgoProps) {
  return (
    <time className={className} dateTime={moment} title={exactly(moment)}>
      {ago(moment, now)}
    </time>
  );
}
