import { useQuery } from "@tanstack/react-query";
import { connectionsQuery } from "@/api/connections";
import { messageOf } from "@/api/problem";
import { Empty } from "@/ui/Empty";
import { ErrorState } from "@/ui/ErrorState";
import { Page } from "@/ui/Page";
import { ConnectionSkeletons } from "./ConnectionSkeletons";
import { ConnectionStyles } from "./ConnectionStyles";
import { connectionsPageMessages as words } from "./ConnectionsPage.messages";
import { HostRow } from "./HostRow";

/** How often the list is read again while a connection waits, which the server forgets after ten minutes. */
const whileWaiting = 60_000;

/** /account/connections: the viewer's accounts at code hosts and archives. */
export function ConnectionsPage() {
  return (
    <Page subtitle={words.subtitle}>
      <ConnectionStyles />
      <Hosts />
    </Page>
  );
}

/** The hosts, or a state: loading, failed, or none. */
function Hosts() {
  const { data, error, refetch } = useQuery({
    ...connectionsQuery,
    refetchInterval: ({ state }) => (state.data?.some(({ waiting }) => waiting) ? whileWaiting : false),
  });
  if (error && !data) {
    return <ErrorState title={words.failed} message={messageOf(error)} onRetry={() => void refetch()} />;
  }
  if (!data) {
    return <ConnectionSkeletons />;
  }
  if (data.length === 0) {
    return (
      <Empty title={words.nothing}>
        <p>{words.nothingYet}</p>
      </Empty>
    );
  }
  return (
    <ul aria-label={words.list}>
      {data.map((host) => (
        <HostRow key={host.host} host={host} />
      ))}
    </ul>
  );
}
