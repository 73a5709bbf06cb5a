import { catalogPath } from "@/features/catalog/filters";
import { AddRepositoryPage } from "@/features/contribute/AddRepositoryPage";

/** Adds a repository, then leads to the catalog. */
export function AddRepositoryRoute() {
  return <AddRepositoryPage catalog={catalogPath()} />;
}
