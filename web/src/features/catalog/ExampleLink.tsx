import { useQuery } from "@tanstack/react-query";
import { useAuth } from "@/features/identity/useAuth";
import { runPath } from "@/lib/sharing/runAddress";
import { LinkButton } from "@/ui/Button";
import { exampleLinkMessages as messages } from "./ExampleLink.messages";
import { landingQuery } from "./queries";

/** Leads to the page that runs the landing page's example; nothing if none of its entries runs. */
export function ExampleLink() {
  const { state } = useAuth();
  const { data } = useQuery({ ...landingQuery(state === "authenticated"), enabled: state !== "loading" });
  return data?.example && <LinkButton to={runPath(data.example)}>{messages.run}</LinkButton>;
}
