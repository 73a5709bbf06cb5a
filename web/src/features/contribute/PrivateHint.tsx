import { useQuery } from "@tanstack/react-query";
import { connectionsQuery } from "@/api/connections";
import { hostOf } from "@/lib/hostName";
import { Filled } from "@/ui/Filled";
import { Link } from "@/ui/router";
import { privateHintMessages as words } from "./PrivateHint.messages";

/**
 * Leads those whose repository wasn't found to connecting their account: to others, private repositories look as if they
 * didn't exist. Nothing if that wouldn't help.
 */
export function PrivateHint({ address }: { address: string }) {
  const { data = [] } = useQuery(connectionsQuery);
  const host = hostOf(address, data);
  const connection = host?.connection;
  if (!host || (connection && !connection.problem)) return null;
  const text = connection ? words.connectAgain(host.label) : words.connect(host.label);
  return (
    <p>
      <Filled text={words.question} values={{ connect: <Link to="/account/connections">{text}</Link> }} />
    </p>
  );
}
