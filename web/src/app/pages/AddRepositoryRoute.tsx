import { catalogPath } from "@/features/catalog/filters";
import { AddRepositoryPage } from "@/features/contribute/AddRepositoryPage";

/** Adding a repository, and from there to the catalog. */
export function AddRepositoryRoute() {
  return <AddRepositoryPage catalog={catalogPath()} />;
}
