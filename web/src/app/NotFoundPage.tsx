import { LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { Page } from "@/ui/Page";

/** For addresses that lead nowhere. */
export function NotFoundPage() {
  return (
    <Page title="Page not found" width="narrow">
      <Empty title="There is no page at this address." action={<LinkButton to="/">Go to the first page</LinkButton>}>
        <p>Check it for a slip, or look for what you need in the catalog.</p>
      </Empty>
    </Page>
  );
}
