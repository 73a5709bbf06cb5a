import { useQuery } from "@tanstack/react-query";
import { useConfig } from "@/api/config";
import { messageOf } from "@/api/problem";
import { useAccount } from "@/features/identity/useAccount";
import { BackLink } from "@/ui/BackLink";
import { LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { Icon } from "@/ui/Icon";
import rows from "@/ui/ListRow.module.css";
import { Skeleton, SkeletonPlace } from "@/ui/Loading";
import { Page } from "@/ui/Page";
import { Link } from "@/ui/router";
import { workshopPath } from "./paths";
import { workshopsQuery } from "./queries";
import type { Workshop } from "./types";
import { When } from "./When";
import { WorkshopBadge } from "./WorkshopBadge";
import { workshopsPageMessages as messages } from "./WorkshopsPage.messages";
import { workshopWordsMessages } from "./workshopWords.messages";

/** /workshops: those that the user hosts. */
export function WorkshopsPage() {
  const { data: account } = useAccount();
  const { data, error, isFetching, refetch } = useQuery(workshopsQuery);
  const mayHost = account?.mayHost === true;
  const prepare = (
    <LinkButton to="/workshops/new" variant="primary">
      <Icon name="plus" /> {messages.prepare}
    </LinkButton>
  );
  const some = data && data.length > 0;
  return (
    <Page
      subtitle={messages.subtitle}
      above={<BackLink to="/sessions" />}
      {...(some && mayHost && { actions: prepare })}
    >
      {some && (
        // biome-ignore lint/a11y/noRedundantRoles: without it Safari does not read out a list that has no bullets.
        <ul role="list" aria-label={messages.list} className={rows.what}>
          {data.map((workshop) => (
            <Row key={workshop.id} workshop={workshop} />
          ))}
        </ul>
      )}
      {data?.length === 0 &&
        account &&
        (mayHost ? (
          <Empty title={messages.none} action={prepare}>
            <p>{messages.noneWhy}</p>
          </Empty>
        ) : (
          <MayNot />
        ))}
      {!data && account && !mayHost && error && <MayNot />}
      {!data && error && (!account || mayHost) && (
        <ErrorState
          title={messages.failed}
          message={messageOf(error)}
          retrying={isFetching}
          onRetry={() => void refetch()}
        />
      )}
      {!data && !error && (
        <SkeletonPlace label={messages.loading}>
          <Skeleton height="12rem" />
        </SkeletonPlace>
      )}
    </Page>
  );
}

function MayNot() {
  const { contact } = useConfig().accounts;
  return (
    <Empty title={messages.mayNot} action={<LinkButton to="/resources">{messages.browse}</LinkButton>}>
      <p>{messages.mayNotWhy}</p>
      {contact && <p>{messages.ask(contact)}</p>}
      <p>{messages.whoJoins}</p>
    </Empty>
  );
}

function Row({ workshop }: { workshop: Workshop }) {
  const { id, name, entry, project, seats } = workshop;
  const holds = entry?.name ?? project?.name;
  return (
    <li className={rows.row}>
      <div className={rows.what}>
        <strong>
          <Link to={workshopPath(id)}>
            <bdi>{name}</bdi>
          </Link>
        </strong>
        <p>
          <When {...workshop} />
        </p>
        <div className={rows.line}>
          <WorkshopBadge {...workshop} />
          <span className={rows.note}>
            {workshopWordsMessages.seats(seats.taken, seats.total)}
            {holds && holds !== name && (
              <>
                {" · "}
                <bdi>{holds}</bdi>
              </>
            )}
          </span>
        </div>
      </div>
    </li>
  );
}
