import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { isNotFound, messageOf } from "@/api/problem";
import type { Credited } from "@/api/types";
import { useAuth } from "@/features/identity/useAuth";
import { webAddress } from "@/lib/links";
import { BackLink } from "@/ui/BackLink";
import { LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { SkeletonPlace } from "@/ui/Loading";
import { Pager } from "@/ui/list/Pager";
import { Page } from "@/ui/Page";
import { useNavigate, useParams, useSearchParams } from "@/ui/router";
import { TextLink } from "@/ui/TextLink";
import { ResourceGrid, ResourceGridSkeleton } from "./cards/ResourceGrid";
import { catalogPath, readFilters, writeFilters } from "./filters";
import list from "./list/ListPage.module.css";
import { Total } from "./list/Total";
import { personPageMessages as messages } from "./PersonPage.messages";
import { personQuery } from "./personQuery";

/** Somebody whom entries credit, with the entries that the reader sees. */
export function PersonPage() {
  const { id = "" } = useParams();
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const entries = useRef<HTMLElement>(null);
  const { state } = useAuth();
  const { filters } = readFilters(params);
  const { data, error, refetch } = useQuery({
    ...personQuery(id, filters.page, state === "authenticated"),
    enabled: state !== "loading",
  });
  const back = <BackLink to={catalogPath()} />;
  if (error && !data) {
    return isNotFound(error) ? (
      <Page title={messages.absent} above={back}>
        <Empty title={messages.absentDetail} action={<LinkButton to={catalogPath()}>{messages.browse}</LinkButton>} />
      </Page>
    ) : (
      <Page above={back}>
        <ErrorState title={messages.failure} message={messageOf(error)} onRetry={() => refetch()} />
      </Page>
    );
  }
  if (!data) {
    return (
      <Page above={back}>
        <SkeletonPlace label={messages.loading}>
          <ResourceGridSkeleton count={3} />
        </SkeletonPlace>
      </Page>
    );
  }
  const { name, orcid, affiliation } = data.person;
  return (
    <Page title={name} above={back}>
      <div className={list.stack}>
        {orcid ? (
          <p>
            {messages.orcid} <TextLink href={`https://orcid.org/${orcid}`}>{messages.profile(orcid)}</TextLink>
          </p>
        ) : (
          <p>{messages.namesakes}</p>
        )}
        {affiliation && (
          <p>
            <Affiliation {...affiliation} />
          </p>
        )}
        <section ref={entries} className={list.stack} aria-label={messages.entries} tabIndex={-1}>
          <Total>{messages.total(data.totalElements)}</Total>
          <ResourceGrid resources={data.content} />
          <Pager
            page={data.number + 1}
            pages={data.totalPages}
            onPage={(page) => navigate({ search: writeFilters({ types: [], tags: [], text: "", page }) })}
            list={entries}
          />
        </section>
      </div>
    </Page>
  );
}

function Affiliation({ name, ror }: NonNullable<Credited["affiliation"]>) {
  const address = webAddress(ror || undefined);
  return address ? <TextLink href={address}>{name}</TextLink> : name;
}
