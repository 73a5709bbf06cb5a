import { Filled } from "@/ui/Filled";
import { Page } from "@/ui/Page";
import { address, If, text } from "./actions";
import { goneTemplateMessages as messages } from "./GoneTemplate.messages";

const day = (of: string) => <time dateTime={text(`${of}.At`)}>{text(`${of}.On`)}</time>;

/** What is left of a public entry that its authors deleted, at its permanent address. */
export function GoneTemplate() {
  return (
    <Page heading={<bdi>{text(".Name")}</bdi>} subtitle={text(".Message")}>
      <p>
        <Filled text={messages.lifetime} values={{ issued: day(".Issued"), deleted: day(".Deleted") }} />
      </p>
      <If of=".DOI">
        <p>
          <Filled
            text={messages.identifier}
            values={{ doi: <a href={`https://doi.org${address(".DOI")}`}>{text(".DOI")}</a> }}
          />
        </p>
      </If>
      <p>
        <a href="/resources">{messages.browse}</a>
      </p>
    </Page>
  );
}
