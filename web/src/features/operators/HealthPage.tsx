import { useQuery } from "@tanstack/react-query";
import { messageOf } from "@/api/problem";
import type { Health } from "@/api/types";
import { Ago } from "@/ui/Ago";
import { Alert } from "@/ui/Alert";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Coded } from "@/ui/Coded";
import { ErrorState } from "@/ui/ErrorState";
import { Filled } from "@/ui/Filled";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { healthMessages as words } from "./HealthPage.messages";
import styles from "./HealthPage.module.css";
import { OperatorsOnly } from "./OperatorsOnly";
import { healthQuery } from "./operatorQueries";

/** /operator/health: whether the server is well. */
export function HealthPage() {
  return (
    <OperatorsOnly subtitle={words.subtitle} loading={<Loading />}>
      <Content />
    </OperatorsOnly>
  );
}

function Content() {
  const { data, error, refetch, isFetching } = useQuery(healthQuery);
  if (data) {
    return <Known health={data} checking={isFetching} onCheck={() => void refetch()} />;
  }
  if (error) {
    return <ErrorState title={words.failed} message={messageOf(error)} onRetry={() => void refetch()} />;
  }
  return <Loading />;
}

function Known({ health, checking, onCheck }: { health: Health; checking: boolean; onCheck: () => void }) {
  const bad = health.checks.filter(({ ok }) => !ok);
  const sorted = [...bad, ...health.checks.filter(({ ok }) => ok)];
  return (
    <div className={styles.health}>
      <Alert title={health.ok ? words.well : words.fix(bad.length)} failed={!health.ok} />
      {/* biome-ignore lint/a11y/noRedundantRoles: without it Safari does not read out a list that has no bullets. */}
      <ul role="list" className={styles.checks} aria-label={words.checks}>
        {sorted.map(({ name, ok, saw, fixes }) => (
          <li key={name} className={styles.check}>
            <Badge tone={ok ? "green" : "red"}>{ok ? words.good : words.bad}</Badge>
            <div className={styles.what}>
              <strong>{name}</strong>
              {saw !== "" && <p className={styles.quiet}>{saw}</p>}
              {fixes.map((fix) => (
                <p key={fix}>{fix}</p>
              ))}
            </div>
          </li>
        ))}
      </ul>
      <div className={styles.foot}>
        <Button size="small" busy={checking} onClick={onCheck}>
          {words.again}
        </Button>
        <p className={styles.quiet}>
          <Filled text={words.checked} values={{ moment: <Ago moment={health.checkedAt} /> }} />
        </p>
      </div>
      <p className={styles.quiet}>
        <Coded text={words.others} />
      </p>
    </div>
  );
}

function Loading() {
  return (
    <SkeletonPlace label={words.loading} className={styles.health}>
      <Skeleton height="56px" />
      <div className={styles.checks}>
        {[1, 2, 3, 4, 5, 6].map((check) => (
          <div key={check} className={styles.check}>
            <Skeleton width="2.5rem" height="22px" />
            <div className={styles.what}>
              <Skeleton width="8rem" />
              <Skeleton width="60%" />
            </div>
          </div>
        ))}
      </div>
    </SkeletonPlace>
  );
}
