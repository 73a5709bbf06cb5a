import { pages } from "virtual:pages";
import { QueryClient, QueryClientProvider, type UseQueryResult } from "@tanstack/react-query";
import type { ReactElement, ReactNode } from "react";
import { ConfigContext } from "@/api/config";
import type { Config, ResourcePage } from "@/api/types";
import { CatalogGlimpse } from "@/features/catalog/CatalogGlimpse";
import { CatalogPage } from "@/features/catalog/CatalogPage";
import catalog from "@/features/catalog/CatalogPage.module.css";
import { ResourceGridSkeleton } from "@/features/catalog/cards/ResourceGrid";
import { exampleLinkMessages } from "@/features/catalog/ExampleLink.messages";
import { KindPage } from "@/features/catalog/KindPage";
import { resourceTypes } from "@/features/catalog/kinds";
import { insteadMessages } from "@/features/catalog/list/Instead.messages";
import { Results } from "@/features/catalog/list/Results";
import { resultsMessages } from "@/features/catalog/list/Results.messages";
import results from "@/features/catalog/list/Results.module.css";
import { SortChoice } from "@/features/catalog/list/SortChoice";
import { RunFilter } from "@/features/catalog/RunFilter";
import { type Auth, AuthContext } from "@/features/identity/useAuth";
import { LandingPage } from "@/features/landing/LandingPage";
import { Picture } from "@/features/landing/Picture";
import { LinkButton } from "@/ui/Button";
import { Skeleton } from "@/ui/Loading";
import { Routes, VisitContext } from "@/ui/router";
import { TextLink } from "@/ui/TextLink";
import { address, If, part, Range, text } from "./actions";
import { CardsTemplate } from "./CardsTemplate";
import { EntryTemplate } from "./EntryTemplate";
import { EventsTemplate } from "./EventsTemplate";
import { GoneTemplate } from "./GoneTemplate";
import { PersonTemplate } from "./PersonTemplate";
import { templatesMessages } from "./templates.messages";
import { WaitingTemplate } from "./WaitingTemplate";

/*
 * What documents show before the page's script runs, and without it: the pages as they are while their answer is on its
 * way, and in place of the skeletons the answer. internal/page executes the templates; their data is in content.go there.
 */

type Landing = Config["site"]["landing"];
type Draw = (element: ReactElement) => string;

/** Stands for a list: what is made of its one element repeats for each that the site has. */
function each<Item>(of: string, item: Item): Item[] {
  const list = [item];
  const map = (draw: (item: Item, index: number) => ReactNode) => <Range of={of}>{draw(item, 0)}</Range>;
  return Object.assign(list, { map, filter: () => list });
}

const picture = { src: address(".Picture.Src"), alt: text(".Picture.Alt") };
const described = { title: text(".Title"), text: text(".Text"), picture: {} };

const landing = {
  headline: text(".Headline"),
  text: text(".Text"),
  picture,
  actions: each(".Actions", { text: text(".Text"), href: address(".Href") }),
  features: each(".Features", described),
  extensions: each(".Extensions", { ...described, tag: part("tagInList .Tag") }),
  institutions: each(".Institutions", { name: text(".Name"), href: address(".Href") }),
  sponsor: {
    name: text(".Sponsor.Name"),
    shortName: text(".Sponsor.ShortName"),
    text: text(".Sponsor.Text"),
    grants: each(".Sponsor.Grants", { name: text(".Name"), award: "", href: address(".Href") }),
  },
} satisfies Landing;

const config = { product: "", site: { landing } } as unknown as Config;

const visit = (pathname: string) => ({ pathname, search: "", hash: "", state: null, key: "", type: "POP" }) as const;

interface FrameProps {
  path: string;
  title: string;
  children: ReactNode;
}

/** The surroundings of a page in which nobody is signed in yet and no call is answered. */
function Frame({ path, title, children }: FrameProps) {
  return (
    <ConfigContext value={config}>
      <AuthContext value={{ state: "loading" } as Auth}>
        <VisitContext value={visit(path)}>
          <QueryClientProvider client={new QueryClient()}>
            <Routes table={[{ path, title, page: children }]} />
          </QueryClientProvider>
        </VisitContext>
      </AuthContext>
    </ConfigContext>
  );
}

const noFilters = { types: [], tags: [], text: "", page: 1 };
const awaited = { isPlaceholderData: false, isError: false } as unknown as UseQueryResult<ResourcePage>;

/** Results while they are awaited. */
const noResults = <Results filters={noFilters} result={awaited} failure="" nothing={null} onChange={() => {}} />;

const searched = text(".Text");
const lacking = [text('join .Words "”, “"')];

/** The sentence above results that don't match as typed, as Instead shows it. */
const instead = (
  <p className={results.corrected}>
    <If
      of=".Corrected"
      otherwise={
        <If
          of="eq .Whole 0"
          otherwise={
            <If of="eq .Whole 1" otherwise={insteadMessages.relaxed(searched, 2, lacking).replace("2", text(".Whole"))}>
              {insteadMessages.relaxed(searched, 1, lacking)}
            </If>
          }
        >
          {insteadMessages.relaxed(searched, 0, lacking)}
        </If>
      }
    >
      {insteadMessages.corrected(searched, text(".Corrected"))}
    </If>
  </p>
);

const found = (
  <div className={results.results}>
    <div className={results.line}>
      <h2 className={results.total}>
        <If of="eq .Total 1" otherwise={resultsMessages.total(0).replace("0", text(".Total"))}>
          {resultsMessages.total(1)}
        </If>
      </h2>
      <SortChoice filters={noFilters} onChange={() => {}} />
      <button type="button" className={results.view}>
        {resultsMessages.compact}
      </button>
    </div>
    {text("with .Instead")}
    {instead}
    {text("end")}
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
  </div>
);

/** By the paths of their pages. */
const ownTemplates: Record<string, ReactNode> = {
  "/events": <EventsTemplate />,
  "/people/:id": <PersonTemplate />,
  "/resources/:type/:id": <EntryTemplate />,
};

/** Returns the templates by the paths of their pages. */
export function templates(draw: Draw): Record<string, string> {
  // With the script, only the covers of the first row are loaded before it runs: all the others would make it wait.
  const rest = draw(<CardsTemplate />);
  const cards = rest.replace(
    /<img [^>]*>/g,
    (image) => `{{if .Eager}}${image.replace(' loading="lazy"', "")}{{else}}<noscript>${image}</noscript>{{end}}`,
  );
  const drawLanding = () => {
    const page = draw(
      <Frame path="/" title="">
        <LandingPage
          example={
            <If of=".Example">
              <LinkButton to={address(".Example")}>{exampleLinkMessages.run}</LinkButton>
            </If>
          }
          catalog={<CatalogGlimpse />}
        />
      </Frame>,
    );
    const hero = draw(<Picture picture={picture} place="hero" />);
    const product = draw(<Picture picture={{ drawing: "balance" }} place="hero" />);
    const count = draw(<Skeleton width="2ch" height="1em" />);
    let html = replaced(
      page,
      hero,
      `{{with .Picture}}{{if .Src}}${hero.replaceAll(".Picture.", ".")}{{else if eq .Drawing "balance"}}${product}{{end}}{{end}}`,
    );
    html = replaced(
      html,
      draw(<ResourceGridSkeleton />),
      either(text('template "cards" .Entries'), draw(<ResourceGridSkeleton />)),
    );
    for (const type of resourceTypes) html = replaced(html, count, `{{.Types.${type}}}`);
    const institution = draw(
      <VisitContext value={visit("/")}>
        <TextLink href={address(".Href")}>{text(".Name")}</TextLink>
      </VisitContext>,
    );
    html = replaced(html, institution, `{{if .Href}}${institution}{{else}}{{.Name}}{{end}}`);
    for (const name of ["Features", "Extensions", "Institutions", "Sponsor"]) {
      const section = new RegExp(`<section [^>]*aria-labelledby="${name.toLowerCase()}">.*?</section>`).exec(html)?.[0];
      if (!section) throw new Error(`The landing page has no part ${name}`);
      html = replaced(html, section, `{{if .${name}}}${section}{{end}}`);
    }
    return html;
  };
  const drawList = ({ path, title, children }: FrameProps) => {
    const [status = "", skeletons = ""] = draw(noResults).split(/(?<=<\/p>)/);
    const page = draw(
      <Frame path={path} title={title}>
        {children}
      </Frame>,
    );
    return replaced(page, status + skeletons, status + either(draw(found), skeletons)).replace(
      /( name="searchText"[^>]*) value=""/,
      '$1 value="{{.SearchText}}"',
    );
  };
  // Where the filters end.
  const results = `</div><div class="${catalog.columns}">`;
  const runs = <RunFilter chosen={[]} counts={undefined} stale={false} onChange={() => {}} />;
  const gone = draw(
    <Frame path="/" title="">
      <GoneTemplate />
    </Frame>,
  );
  const drawn: Record<string, string> = { cards, rest, gone, waiting: draw(<WaitingTemplate />), "/": drawLanding() };
  for (const { path, title, type } of pages) {
    const template = ownTemplates[path];
    if (template) {
      drawn[path] = draw(
        <Frame path={path} title={title}>
          {template}
        </Frame>,
      );
    }
    const kind = resourceTypes.find((each) => each === type);
    if (path === "/resources") {
      const page = drawList({ path, title, children: <CatalogPage /> });
      drawn[path] = replaced(page, results, `{{if .Runs}}${draw(runs)}{{end}}${results}`);
    }
    if (kind && path.startsWith("/resources/"))
      drawn[path] = drawList({ path, title, children: <KindPage type={kind} /> });
  }
  return drawn;
}

const either = (entries: string, skeletons: string) => `{{if .Entries}}${entries}{{else}}${skeletons}{{end}}`;

/** Replaces the first `part` of a text, which must have it. */
function replaced(text: string, part: string, by: string): string {
  if (!text.includes(part)) throw new Error(`A page no longer contains ${part}`);
  return text.replace(part, () => by);
}
