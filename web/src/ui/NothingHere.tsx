import { loginPath } from "@/lib/links";
import { LinkButton } from "./Button";
import { Empty } from "./Empty";
import { Filled } from "./Filled";
import { nothingHereMessages as messages } from "./NothingHere.messages";
import { Page } from "./Page";
import { Link, useLocation } from "./router";

interface NothingHereProps {
  title: string;
  why: string;
  /** Offers to sign in, because that may show it. */
  signedOut: boolean;
}

/** The page of an address at which the visitor sees nothing. */
export function NothingHere({ title, why, signedOut }: NothingHereProps) {
  const here = useLocation();
  return (
    <Page title={title} width="narrow">
      <Empty title={why} action={<LinkButton to="/resources">{messages.browse}</LinkButton>}>
        {signedOut && (
          <p>
            <Filled
              text={messages.mayBeYours}
              values={{ signIn: <Link to={loginPath(here)}>{messages.signIn}</Link> }}
            />
          </p>
        )}
      </Empty>
    </Page>
  );
}
