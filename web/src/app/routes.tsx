import { Route, Routes } from "react-router";
import { RequireAuth } from "@/features/identity/RequireAuth";
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
const LicensesPage = lazyPage(async () => (await import("@/features/licenses/LicensesPage")).LicensesPage);

/** The route table: every address of the page. */
export function PageRoutes() {
  return (
    <Routes>
      <Route element={<Layout />}>
        <Route path="/" element={<LandingRoute />} />
        <Route path="/login" element={<LoginPage />} />
        <Route path="/oauth_callback" element={<CallbackPage />} />
        <Route path="/events" element={<EventsPage />} />
        <Route path="/licenses" element={<LicensesPage />} />
        <Route path="/resources" element={<CatalogPage />} />
        <Route path="/resources/notebooks" element={<KindPage key="NOTEBOOK" type="NOTEBOOK" />} />
        <Route path="/resources/repositories" element={<KindPage key="REPOSITORY" type="REPOSITORY" />} />
        <Route path="/resources/datasets" element={<KindPage key="DATASET" type="DATASET" />} />
        <Route path="/resources/models" element={<KindPage key="MODEL" type="MODEL" />} />
        <Route path="/resources/:type/:id" element={<ResourceRoute />} />
        <Route element={<RequireAuth />}>
          <Route path="/resources/starred" element={<StarredPage />} />
          <Route path="/sessions" element={<SessionsRoute />} />
          <Route path="/sessions/:id/open" element={<OpenPage />} />
          <Route path="/open" element={<OpenPage />} />
          <Route path="/sessions/*" element={<NotFoundPage />} />
          <Route path="/add" element={<AddPage />} />
          <Route path="/add/repo" element={<AddRepositoryRoute />} />
          <Route path="/add/project" element={<AddProjectPage />} />
          <Route path="/add/dataset" element={<AddEntryPage key="DATASET" type="DATASET" />} />
          <Route path="/add/notebook" element={<AddEntryPage key="NOTEBOOK" type="NOTEBOOK" />} />
          <Route path="/add/model" element={<AddEntryPage key="MODEL" type="MODEL" />} />
          <Route path="/resources/:type/:id/edit" element={<EditEntryPage />} />
          <Route path="/add/*" element={<NotFoundPage />} />
          <Route path="/accounts" element={<AccountsPage />} />
        </Route>
        <Route path="*" element={<NotFoundPage />} />
      </Route>
    </Routes>
  );
}
