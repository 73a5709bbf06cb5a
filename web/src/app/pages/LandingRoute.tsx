import { CatalogGlimpse } from "@/features/catalog/CatalogGlimpse";
import { ExampleLink } from "@/features/catalog/ExampleLink";
import { LandingPage } from "@/features/landing/LandingPage";

/** The landing page, with a preview of the catalog. */
export function LandingRoute() {
  return <LandingPage example={<ExampleLink />} catalog={<CatalogGlimpse />} />;
}
