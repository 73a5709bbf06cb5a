import { ago, moment as exactly } from "@/lib/format";

interface AgoProps {
  moment: string;
  /** Milliseconds since 1970, for who keeps it going. */
  now?: number;
  className?: string | undefined;
}

/** How long ago something was; who points at it reads the moment itself. */
export function Ago({ moment, now, className }: AgoProps) {
  return (
    <time className={className} dateTime={moment} title={exactly(moment)}>
      {ago(moment, now)}
    </time>
  );
}
