import { LinkButton } from "@/ui/Button";
import { Empty } from "@/ui/Empty";
import { Page } from "@/ui/Page";
import { notFoundMessages as words } from "./messages";

/** For addresses that lead nowhere. */
export function NotFoundPage() {
  return (
    <Page title={words.heading} width="narrow">
      <Empty title={words.title} action={<LinkButton to="/">{words.first}</LinkButton>}>
        <p>{words.body}</p>
      </Empty>
    </Page>
  );
}
