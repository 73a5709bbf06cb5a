import { Navigate, useLocation } from "@/ui/router";

/** The former address of the operators' page of accounts, which bookmarks still have. */
export function AccountsRoute() {
  const { search } = useLocation();
  return <Navigate to={`/operator/accounts${search}`} replace />;
}
