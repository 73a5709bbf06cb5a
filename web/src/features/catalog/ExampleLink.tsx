import { useQuery } from "@tanstack/react-query";
import { useAuth } from "@/features/identity/useAuth";
import { runPath } from "@/lib/sharing/runAddress";
import { LinkButton } from "@/ui/Button";
import { exampleLinkMessages as messages } from "./ExampleLink.messages";
import { landingQuery } from "./queries";

/** Leads to the page that runs one of the landing page's entries, preferably a notebook; nothing if none of them runs. */
export function ExampleLink() {
  const { state } = useAuth();
  const { data } = useQuery({ ...landingQuery(state === "authenticated"), enabled: state !== "loading" });
  const running = data?.content.filter(({ runnable }) => runnable) ?? [];
  const example = running.find(({ type }) => type === "NOTEBOOK") ?? running[0];
  return example && <LinkButton to={runPath(example.id)}>{messages.run}</LinkButton>;
}
