import type { ReactNode } from "react";
import { relationWords, roleWords } from "@/features/catalog/cited.messages";
import { citedWorkMessages as cited } from "@/features/entry/CitedWork.messages";
import { measuredFactsMessages as measured } from "@/features/entry/MeasuredFacts.messages";
import { resourceFactsMessages as factNames } from "@/features/entry/ResourceFacts.messages";
import facts from "@/features/entry/ResourceFacts.module.css";
import avatar from "@/ui/Avatar.module.css";
import { address, If, Range, text } from "./actions";

/** What the page of an entry says of it at its side. */
export function Facts() {
  return (
    <details className={`${facts.facts} ${facts.drawn}`}>
      <summary className={facts.summary}>{factNames.title}</summary>
      <dl className={facts.list}>
        <If of="len .Authors | lt 1" otherwise={<Authors name={factNames.authors(1)} />}>
          <Authors name={factNames.authors(2)} />
        </If>
        <If of=".Facts.People">
          <Fact name={factNames.people}>
            <Range of=".Facts.People">
              <span className={facts.person}>
                <If of=".Href" otherwise={text(".Text")}>
                  <a href={address(".Href")}>{text(".Text")}</a>
                </If>
                <If of=".Profile">
                  {" "}
                  <a href={address(".Profile")} rel="noopener noreferrer">
                    {factNames.orcid}
                  </a>
                </If>
                <If of="or .Role .At.Text">
                  <span className={facts.at}>
                    <If of=".Role">
                      <OneOf of=".Role" words={roles} />
                      <If of=".At.Text">, </If>
                    </If>
                    <Linked to=".At" />
                  </span>
                </If>
              </span>
            </Range>
          </Fact>
        </If>
        <If of=".License">
          <Fact name={factNames.license}>
            <Linked to=".Facts.License" />
          </Fact>
        </If>
        <If of=".DOI">
          <Fact name={factNames.doi}>
            <Linked to=".Facts.DOI" />
          </Fact>
        </If>
        <If of=".Version">
          <Fact name={factNames.version}>
            <span className={facts.exact}>{text(".Version")}</span>
          </Fact>
        </If>
        <CitedFacts />
        <Fact name={factNames.added}>
          <time dateTime={text(".Facts.Added.At")}>{text(".Facts.Added.On")}</time>
        </Fact>
        <If of=".Facts.Updated.At">
          <Fact name={factNames.updated}>
            <time dateTime={text(".Facts.Updated.At")}>{text(".Facts.Updated.On")}</time>
          </Fact>
        </If>
        <If of=".UsedBy">
          <Fact name={factNames.usedBy}>
            <If of="eq .UsedBy 1" otherwise={factNames.projects(0).replace("0", text(".UsedBy"))}>
              {factNames.projects(1)}
            </If>
          </Fact>
        </If>
        <If of=".StarCount">
          <Fact name={factNames.stars}>{text(".StarCount")}</Fact>
        </If>
        <Fact name={factNames.privacy}>{factNames.public}</Fact>
        <If of=".Facts.Source.Href">
          <Fact name={factNames.links}>
            <SourceLink />
          </Fact>
        </If>
        <If of=".Facts.Language">
          <Fact name={measured.language}>{text(".Facts.Language")}</Fact>
        </If>
        <If of=".Facts.Size">
          <Fact name={measured.size}>{text(".Facts.Size")}</Fact>
        </If>
        <If of=".Facts.Pushed.At">
          <Fact name={measured.pushed}>
            <time dateTime={text(".Facts.Pushed.At")}>{text(".Facts.Pushed.On")}</time>
          </Fact>
        </If>
      </dl>
    </details>
  );
}

/** What CitedWork shows. */
function CitedFacts() {
  return (
    <>
      <If of=".Resource.Language">
        {/* Its tag: the page's script knows the names of languages. */}
        <Fact name={cited.language}>{text(".Resource.Language")}</Fact>
      </If>
      <If of=".Facts.Funding">
        <Fact name={cited.funding}>
          <Range of=".Facts.Funding">
            <span className={facts.award}>
              <Linked to=".Funder" />
              <If of=".Award.Text">
                <span className={facts.at}>
                  <Linked to=".Award" />
                </span>
              </If>
            </span>
          </Range>
        </Fact>
      </If>
      <If of=".Facts.Related">
        <Fact name={cited.related}>
          <Range of=".Facts.Related">
            <span className={facts.award}>
              <OneOf of=".Relation" words={relationWords} /> <Linked to="" />
            </span>
          </Range>
        </Fact>
      </If>
    </>
  );
}

/** DataCite's names of roles, with words for them. */
const roles = Object.fromEntries(
  Object.keys(roleWords)
    .filter(Boolean)
    .map((role) => [role, cited.role(role)]),
);

/** The words for one of DataCite's names; the name itself if there are none. */
function OneOf({ of, words }: { of: string; words: Record<string, string> }): ReactNode {
  return Object.entries(words).reduceRight<ReactNode>(
    (otherwise, [name, written]) => (
      <If key={name} of={`eq ${of} "${name}"`} otherwise={otherwise}>
        {written}
      </If>
    ),
    text(of),
  );
}

/** A text, with a link if it has an address. */
function Linked({ to }: { to: string }) {
  return (
    <If of={`${to}.Href`} otherwise={text(`${to}.Text`)}>
      <a href={address(`${to}.Href`)} rel="noopener noreferrer">
        {text(`${to}.Text`)}
      </a>
    </If>
  );
}

function Authors({ name }: { name: string }) {
  return (
    <Fact name={name}>
      <ul className={facts.authors}>
        <Range of=".Facts.Authors">
          <li>
            <span className={`${avatar.avatar} ${avatar.small}`} aria-hidden="true">
              {text(".Initials")}
            </span>
            <a href={address(".Href")} dir="ltr">
              {text(".Text")}
            </a>
          </li>
        </Range>
      </ul>
    </Fact>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={facts.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Where an entry comes from. */
export function SourceLink() {
  return (
    <a href={address(".Facts.Source.Href")} rel="noopener noreferrer">
      {text(".Facts.Source.Text")}
    </a>
  );
}
