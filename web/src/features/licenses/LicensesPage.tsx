import { useQuery } from "@tanstack/react-query";
import { messageOf } from "@/api/problem";
import { LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { Skeleton } from "@/ui/Loading";
import { Page } from "@/ui/Page";
import { useSearchParams } from "@/ui/router";
import { SearchBox } from "@/ui/SearchBox";
import { ComponentLicense } from "./ComponentLicense";
import { groupByLicense } from "./groups";
import styles from "./LicensesPage.module.css";
import { licensesPageMessages as messages } from "./messages";
import { licensesQuery } from "./queries";

/** /licenses: what the program is made of, and under which licences. */
export function LicensesPage() {
  const { data, error, refetch, isFetching } = useQuery(licensesQuery);
  const [params, setParams] = useSearchParams();
  const text = params.get("find") ?? "";
  const own = data?.components.filter(({ kind }) => kind === "product") ?? [];
  const others = data?.components.filter(({ kind }) => kind !== "product") ?? [];
  const groups = groupByLicense(others, text);
  const found = groups.reduce((sum, { components }) => sum + components.length, 0);

  return (
    <Page title={messages.title} subtitle={messages.subtitle}>
      {error && (
        <ErrorState
          title={messages.failed}
          message={messageOf(error)}
          onRetry={() => void refetch()}
          retrying={isFetching}
        />
      )}
      {!error && !data && (
        <div className={styles.skeleton} role="status" aria-label={messages.loading}>
          <Skeleton width="9rem" height="25px" />
          {[1, 2, 3, 4, 5, 6, 7, 8].map((row) => (
            <Skeleton key={row} height="32px" />
          ))}
        </div>
      )}
      {data && (
        <>
          <section>
            <h2 className={styles.license}>{messages.own}</h2>
            {own.map((component) => (
              <ComponentLicense key={component.name} component={component} texts={data.texts} />
            ))}
          </section>
          <p className={styles.others}>{messages.others}</p>
          <SearchBox
            label={messages.find}
            placeholder={messages.findHint}
            text={text}
            onSearch={(find) => setParams(find.trim() === "" ? {} : { find }, { replace: true })}
          />
          <p className={styles.total} role="status">
            {found === others.length ? messages.all(found) : messages.some(found, others.length)}
          </p>
          {groups.length === 0 && (
            <Empty title={messages.none(text)} action={<LinkButton to="/licenses">{messages.showAll}</LinkButton>} />
          )}
          {groups.map(({ license, components }) => (
            <section key={license}>
              <h2 className={styles.license}>
                {license} <span className={styles.count}>{components.length}</span>
              </h2>
              {components.map((component) => (
                <ComponentLicense
                  key={`${component.name} ${component.version}`}
                  component={component}
                  texts={data.texts}
                />
              ))}
            </section>
          ))}
        </>
      )}
    </Page>
  );
}
