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

type Check = Health["checks"][number];

const states = ["bad", "advised", "good"] as const;
type State = (typeof states)[number];
const tones = { bad: "red", advised: "amber", good: "green" } as const;

function stateOf({ ok, advice = [] }: Check): State {
  if (!ok) return "bad";
  return advice.length > 0 ? "advised" : "good";
}

const byState = (one: Check, other: Check) => states.indexOf(stateOf(one)) - states.indexOf(stateOf(other));

function titleOf(bad: number, advised: number): string {
  if (bad > 0) return words.fix(bad);
  return advised > 0 ? words.advised(advised) : words.well;
}

function Known({ health, checking, onCheck }: { health: Health; checking: boolean; onCheck: () => void }) {
  const number = (state: State) => health.checks.filter((check) => stateOf(check) === state).length;
  return (
    <div className={styles.health}>
      <Alert title={titleOf(number("bad"), number("advised"))} failed={!health.ok} />
      {/* biome-ignore lint/a11y/noRedundantRoles: without it Safari does not read out a list that has no bullets. */}
      <ul role="list" className={styles.checks} aria-label={words.checks}>
        {health.checks.toSorted(byState).map((check) => (
          <li key={check.name} className={styles.check}>
            <Badge tone={tones[stateOf(check)]}>{words.states[stateOf(check)]}</Badge>
            <div className={styles.what}>
              <strong>{check.name}</strong>
              {check.saw !== "" && <p className={styles.quiet}>{check.saw}</p>}
              {[...check.fixes, ...(check.advice ?? [])].map((sentence) => (
                <p key={sentence}>
                  <Coded text={sentence} />
                </p>
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
