import { CatalogGlimpse } from "@/features/catalog/CatalogGlimpse";
import { LandingPage } from "@/features/landing/LandingPage";

/** The first page, with a look into the catalog. */
export function LandingRoute() {
  return <LandingPage catalog={<CatalogGlimpse />} />;
}
