import { useQuery } from "@tanstack/react-query";
import { LinkButton } from "@/ui/Button";
import { jobsLinkMessages as messages } from "./JobsLink.messages";
import { isLive, jobsQuery } from "./jobs";
import { useJobNotifications } from "./useJobNotifications";

/** Leads to the caller's jobs, says how many go on, and tells when one has ended. */
export function JobsLink() {
  const { data } = useQuery(jobsQuery);
  useJobNotifications(data);
  const live = data?.filter(isLive).length ?? 0;
  return (
    <LinkButton size="small" to="/jobs">
      {live > 0 ? messages.live(live) : messages.jobs}
    </LinkButton>
  );
}
