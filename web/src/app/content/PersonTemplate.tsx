import { catalogPath } from "@/features/catalog/filters";
import list from "@/features/catalog/list/ListPage.module.css";
import total from "@/features/catalog/list/Total.module.css";
import { personPageMessages as messages } from "@/features/catalog/PersonPage.messages";
import { BackLink } from "@/ui/BackLink";
import { Page } from "@/ui/Page";
import { address, If, text } from "./actions";
import { templatesMessages } from "./templates.messages";

/** Somebody whom entries credit, as PersonPage shows them. */
export function PersonTemplate() {
  return (
    <Page heading={text(".Name")} above={<BackLink to={catalogPath()} />}>
      <div className={list.stack}>
        <If of=".Profile" otherwise={<p>{messages.namesakes}</p>}>
          <p>
            {messages.orcid}{" "}
            <a href={address(".Profile")} rel="noopener noreferrer">
              {text("withoutScheme .Profile")}
            </a>
          </p>
        </If>
        <If of=".Affiliation">
          <p>
            <If of=".Affiliation.ROR" otherwise={text(".Affiliation.Name")}>
              <a href={address(".Affiliation.ROR")} rel="noopener noreferrer">
                {text(".Affiliation.Name")}
              </a>
            </If>
          </p>
        </If>
        <section className={list.stack} aria-label={messages.entries}>
          <h2 className={total.total}>
            <If of="eq .Total 1" otherwise={messages.total(0).replace("0", text(".Total"))}>
              {messages.total(1)}
            </If>
          </h2>
          {text('template "cards" .Entries')}
          <If of=".Rest">
            <noscript>{text('template "rest" .Rest')}</noscript>
          </If>
          <If of=".Next">
            <p>
              <a href={address(".Next")} rel="next">
                {templatesMessages.more}
              </a>
            </p>
          </If>
        </section>
      </div>
    </Page>
  );
}
