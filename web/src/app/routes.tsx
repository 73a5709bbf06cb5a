import type { ReactNode } from "react";
import { RequireAuth } from "@/features/identity/RequireAuth";
import { Routes } from "@/ui/router";
import { Layout } from "./Layout";
import { lazyPage } from "./lazyPage";

const LandingRoute = lazyPage(async () => (await import("./pages/LandingRoute")).LandingRoute);
const LoginPage = lazyPage(async () => (await import("@/features/identity/LoginPage")).LoginPage);
const AccountsPage = lazyPage(async () => (await import("@/features/identity/AccountsPage")).AccountsPage);
const CallbackPage = lazyPage(async () => (await import("@/features/identity/CallbackPage")).CallbackPage);
const CatalogPage = lazyPage(async () => (await import("@/features/catalog/CatalogPage")).CatalogPage);
const KindPage = lazyPage(async () => (await import("@/features/catalog/KindPage")).KindPage);
const StarredPage = lazyPage(async () => (await import("@/features/catalog/StarredPage")).StarredPage);
const ResourceRoute = lazyPage(async () => (await import("./pages/ResourceRoute")).ResourceRoute);
const SessionsRoute = lazyPage(async () => (await import("./pages/SessionsRoute")).SessionsRoute);
const OpenPage = lazyPage(async () => (await import("@/features/sessions/OpenPage")).OpenPage);
const AddPage = lazyPage(async () => (await import("@/features/contribute/AddPage")).AddPage);
const AddRepositoryRoute = lazyPage(async () => (await import("./pages/AddRepositoryRoute")).AddRepositoryRoute);
const AddProjectPage = lazyPage(async () => (await import("@/features/projects/AddProjectPage")).AddProjectPage);
const AddEntryPage = lazyPage(async () => (await import("@/features/catalog/AddEntryPage")).AddEntryPage);
const EditEntryPage = lazyPage(async () => (await import("@/features/catalog/EditEntryPage")).EditEntryPage);
const NotFoundPage = lazyPage(async () => (await import("./NotFoundPage")).NotFoundPage);
const EventsPage = lazyPage(async () => (await import("@/features/events/EventsPage")).EventsPage);

/** Pages that need a login. */
const guarded = (path: string, page: ReactNode) => ({ path, page: <RequireAuth>{page}</RequireAuth> });

/** The route table: every address of the page; the first path that matches is shown. */
const table = [
  { path: "/", page: <LandingRoute /> },
  { path: "/login", page: <LoginPage /> },
  { path: "/oauth_callback", page: <CallbackPage /> },
  { path: "/events", page: <EventsPage /> },
  { path: "/resources", page: <CatalogPage /> },
  { path: "/resources/notebooks", page: <KindPage key="NOTEBOOK" type="NOTEBOOK" /> },
  { path: "/resources/repositories", page: <KindPage key="REPOSITORY" type="REPOSITORY" /> },
  { path: "/resources/datasets", page: <KindPage key="DATASET" type="DATASET" /> },
  { path: "/resources/models", page: <KindPage key="MODEL" type="MODEL" /> },
  guarded("/resources/starred", <StarredPage />),
  { path: "/resources/:type/:id", page: <ResourceRoute /> },
  guarded("/resources/:type/:id/edit", <EditEntryPage />),
  guarded("/sessions", <SessionsRoute />),
  guarded("/sessions/:id/open", <OpenPage />),
  guarded("/open", <OpenPage />),
  guarded("/sessions/*", <NotFoundPage />),
  guarded("/add", <AddPage />),
  guarded("/add/repo", <AddRepositoryRoute />),
  guarded("/add/project", <AddProjectPage />),
  guarded("/add/dataset", <AddEntryPage key="DATASET" type="DATASET" />),
  guarded("/add/notebook", <AddEntryPage key="NOTEBOOK" type="NOTEBOOK" />),
  guarded("/add/model", <AddEntryPage key="MODEL" type="MODEL" />),
  guarded("/add/*", <NotFoundPage />),
  guarded("/accounts", <AccountsPage />),
  { path: "/*", page: <NotFoundPage /> },
];

/** The page at the address, in the frame of every page. */
export function PageRoutes() {
  return (
    <Layout>
      <Routes table={table} />
    </Layout>
  );
}
