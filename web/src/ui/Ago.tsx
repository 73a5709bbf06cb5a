import { ago, moment as exactly } from "@/lib/format";

interface AgoProps {
  moment: string;
  className?: string | undefined;
}

/** How long ago something was; who points at it reads the moment itself. */
export function Ago({ moment, className }: AgoProps) {
  return (
    <time className={className} dateTime={moment} title={exactly(moment)}>
      {ago(moment)}
    </time>
  );
}
