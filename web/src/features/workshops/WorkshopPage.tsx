import { useQuery } from "@tanstack/react-query";
import projectStyles from "@/features/projects/ProjectPage.module.css";
import dashboard from "@/features/sessions/DashboardPage.module.css";
import { day } from "@/lib/format";
import { time } from "@/lib/measures";
import { BackLink } from "@/ui/BackLink";
import { CopyText } from "@/ui/CopyText";
import { Note } from "@/ui/Note";
import { Page } from "@/ui/Page";
import { Link, useParams } from "@/ui/router";
import { Fact, HostPart } from "./HostPart";
import { OneWorkshop } from "./OneWorkshop";
import { entryPath } from "./paths";
import { workshopQuery } from "./queries";
import type { Workshop } from "./types";
import { When } from "./When";
import { WorkshopActions } from "./WorkshopActions";
import { WorkshopBadge } from "./WorkshopBadge";
import { workshopPageMessages as messages } from "./WorkshopPage.messages";
import { workshopWordsMessages } from "./workshopWords.messages";
import { momentIn } from "./zoned";

/** /workshops/:id: a workshop as its hosts see it. */
export function WorkshopPage() {
  const { id = "" } = useParams();
  const asked = useQuery(workshopQuery(id));
  return (
    <OneWorkshop id={id} asked={asked}>
      {(workshop) => <Found key={id} workshop={workshop} />}
    </OneWorkshop>
  );
}

function Found({ workshop }: { workshop: Workshop }) {
  const { name, state } = workshop;
  return (
    <Page
      title={name}
      heading={<bdi>{name}</bdi>}
      above={
        <>
          <BackLink to="/workshops" />
          <div role="status">
            <WorkshopBadge {...workshop} />
          </div>
        </>
      }
    >
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form. */}
      <div className={projectStyles.actions} role="group" aria-label={messages.actions}>
        <WorkshopActions workshop={workshop} />
      </div>
      <div className={dashboard.parts}>
        <State workshop={workshop} />
        <div className={projectStyles.columns}>
          <aside className={projectStyles.facts} aria-label={messages.facts}>
            <Facts workshop={workshop} />
          </aside>
          <div className={projectStyles.main}>{state !== "ENDED" && <Ways workshop={workshop} />}</div>
        </div>
      </div>
    </Page>
  );
}

/** What happens next. */
function State({ workshop }: { workshop: Workshop }) {
  const { state, opensAt, endsAt, endedAt, endingAt, timezone, warm, warmWanted } = workshop;
  const texts = (): string => {
    if (state === "PLANNED") return messages.state.PLANNED(momentIn(opensAt, timezone));
    if (state === "WARMING") return messages.state.WARMING(warm, warmWanted, momentIn(opensAt, timezone));
    if (state === "ENDED") return messages.state.ENDED(momentIn(endedAt ?? endsAt, timezone));
    return endingAt ? messages.endingAt(time(endingAt)) : messages.state.OPEN(momentIn(endsAt, timezone));
  };
  return (
    <div role="status">
      <Note kind={endingAt && state === "OPEN" ? "error" : "info"}>
        <p>{texts()}</p>
      </Note>
    </div>
  );
}

/** The link, the address and the code, for participants. */
function Ways({ workshop: { joinUrl, joinAddress, code } }: { workshop: Workshop }) {
  return (
    <HostPart title={messages.join}>
      <p>{messages.joinMeans}</p>
      <h3>{messages.linkTitle}</h3>
      <CopyText label={messages.link} text={joinUrl} />
      <h3>{messages.addressTitle}</h3>
      <CopyText label={messages.address} text={joinAddress} />
      <CopyText label={messages.code} text={code} />
    </HostPart>
  );
}

function Facts({ workshop }: { workshop: Workshop }) {
  const { entry, project, file, ref, profile, engine, seats, room, guests, network, owner, hosts } = workshop;
  const { state, workUntil, namesUntil } = workshop;
  const others = [
    seats.running > 0 && messages.running(seats.running),
    seats.waiting > 0 && messages.waiting(seats.waiting),
  ].filter(Boolean);
  return (
    <dl className={projectStyles.list}>
      <Fact name={messages.when}>
        <When {...workshop} />
      </Fact>
      <Fact name={messages.seats}>{[workshopWordsMessages.seats(seats.taken, seats.total), ...others].join(", ")}</Fact>
      {entry && (
        <Fact name={messages.runs}>
          <Link to={entryPath(entry)}>
            <bdi>{entry.name}</bdi>
          </Link>
        </Fact>
      )}
      {!entry && project && (
        <Fact name={messages.runs}>
          <Link to={`/projects/${project.id}`}>
            <bdi>{project.name}</bdi>
          </Link>
        </Fact>
      )}
      {file && (
        <Fact name={messages.file}>
          <code>
            <bdi>{file}</bdi>
          </code>
        </Fact>
      )}
      {ref && (
        <Fact name={messages.ref}>
          <code>
            <bdi>{ref}</bdi>
          </code>
        </Fact>
      )}
      <Fact name={messages.size}>{[profile, engine].filter(Boolean).join(", ")}</Fact>
      {state !== "ENDED" && <Fact name={messages.places}>{messages.takes(room.places, room.capacity)}</Fact>}
      <Fact name={messages.guests}>{guests ? messages.guestsIn : messages.guestsOut}</Fact>
      <Fact name={messages.network}>{messages.networks[network]}</Fact>
      <Fact name={messages.hosts}>
        {[...new Set([owner, ...hosts])].map((host) => (
          <p key={host}>
            <bdi>{host}</bdi>
          </p>
        ))}
      </Fact>
      <Fact name={messages.work}>{messages.workUntil(day(workUntil))}</Fact>
      <Fact name={messages.names}>{messages.namesUntil(day(namesUntil))}</Fact>
    </dl>
  );
}
