import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "@/api/problem";
import type { Schedule } from "@/api/types";
import { jobsKey } from "@/features/sessions/jobs";
import { moment } from "@/lib/format";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import rows from "@/ui/ListRow.module.css";
import { Link } from "@/ui/router";
import { toast } from "@/ui/toast";
import { jobsPageMessages as messages } from "./JobsPage.messages";
import { deleteSchedule, pauseSchedule } from "./queries";
import { timesWords } from "./times";

interface ScheduleRowProps {
  schedule: Schedule;
  onDeleted: () => void;
}

/** A schedule in the list: when it's due, what came of it, and what can be done with it. */
export function ScheduleRow({ schedule, onDeleted }: ScheduleRowProps) {
  const { id, name, paused, nextAt, last, note } = schedule;
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const refresh = () => queries.invalidateQueries({ queryKey: jobsKey });
  const pause = useMutation({
    mutationFn: () => pauseSchedule(id, !paused),
    onError: (error) => toast.error(paused ? messages.notResumed : messages.notPaused, messageOf(error)),
    onSettled: refresh,
  });
  const remove = useMutation({
    mutationFn: () => deleteSchedule(id),
    onSuccess: async () => {
      toast.success(messages.deleted, name);
      onDeleted();
      await refresh();
    },
    onError: (error) => toast.error(messages.notDeleted, messageOf(error)),
  });
  return (
    <li className={rows.row}>
      <div className={rows.what}>
        <strong>
          <bdi>{name}</bdi>
        </strong>
        <span>{timesWords(schedule)}</span>
        <div className={rows.line}>
          {paused ? (
            <Badge tone="grey">{messages.paused}</Badge>
          ) : (
            <span className={rows.note}>{nextAt ? messages.next(moment(nextAt)) : messages.over}</span>
          )}
          {last && (
            <Link className={rows.note} to={`/jobs/${last}`} aria-label={messages.lastOf(name)}>
              {messages.last}
            </Link>
          )}
        </div>
        {note && <p className={rows.note}>{note}</p>}
      </div>
      <div className={rows.line}>
        {/* One element in both states, so that whoever pressed it does not lose the focus when it has worked. */}
        <Button
          size="small"
          busy={pause.isPending}
          aria-label={paused ? messages.resumeOne(name) : messages.pauseOne(name)}
          onClick={() => pause.mutate()}
        >
          {paused ? messages.resume : messages.pause}
        </Button>
        <Button
          size="small"
          variant="quiet"
          busy={remove.isPending}
          aria-label={messages.deleteOne(name)}
          onClick={() => setAsking(true)}
        >
          {messages.delete}
        </Button>
      </div>
      {asking && (
        <Dialog
          title={messages.deleteTitle}
          onClose={() => setAsking(false)}
          footer={
            <>
              <Button onClick={() => setAsking(false)}>{messages.cancel}</Button>
              <Button
                variant="danger"
                onClick={() => {
                  setAsking(false);
                  remove.mutate();
                }}
              >
                {messages.delete}
              </Button>
            </>
          }
        >
          <p>
            <strong>{name}</strong>
          </p>
          <p>{messages.deleteMeans}</p>
        </Dialog>
      )}
    </li>
  );
}
