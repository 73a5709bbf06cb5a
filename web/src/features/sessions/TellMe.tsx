import { useState } from "react";
import type { Job } from "@/api/types";
import { Button } from "@/ui/Button";
import { jobLineMessages as messages } from "./JobLine.messages";
import { isLive } from "./jobs";
import { canNotify } from "./useJobNotifications";

/** Asks to be allowed to tell when one of these jobs has ended; nothing where there is none to wait for, or it was decided. */
export function TellMe({ jobs }: { jobs: readonly Job[] }) {
  const [asked, setAsked] = useState(false);
  if (asked || !jobs.some(isLive) || !canNotify() || Notification.permission !== "default") return null;
  return (
    <Button
      size="small"
      variant="quiet"
      onClick={() => void Notification.requestPermission().finally(() => setAsked(true))}
    >
      {messages.tell}
    </Button>
  );
}
