import type { UseQueryResult } from "@tanstack/react-query";
import { useRef } from "react";
import { messageOf } from "@/api/problem";
import type { Schedule } from "@/api/types";
import { ErrorState } from "@/ui/ErrorState";
import rows from "@/ui/ListRow.module.css";
import { jobsPageMessages as messages } from "./JobsPage.messages";
import { RowSkeletons } from "./RowSkeletons";
import { ScheduleRow } from "./ScheduleRow";

/** What is run again and again. */
export function Schedules({ schedules }: { schedules: UseQueryResult<Schedule[]> }) {
  const { data, error, isFetching, refetch } = schedules;
  const heading = useRef<HTMLHeadingElement>(null);
  return (
    <section aria-labelledby="schedules">
      <h2 ref={heading} id="schedules" tabIndex={-1}>
        {messages.schedules}
      </h2>
      {data ? (
        data.length === 0 ? (
          <p>{messages.noSchedules}</p>
        ) : (
          <ul aria-label={messages.schedules} className={rows.what}>
            {data.map((schedule) => (
              // The button that had the focus goes away with its row.
              <ScheduleRow key={schedule.id} schedule={schedule} onDeleted={() => heading.current?.focus()} />
            ))}
          </ul>
        )
      ) : error ? (
        <ErrorState
          title={messages.schedulesFailed}
          message={messageOf(error)}
          retrying={isFetching}
          onRetry={() => void refetch()}
        />
      ) : (
        <RowSkeletons label={messages.schedulesLoading} />
      )}
    </section>
  );
}
