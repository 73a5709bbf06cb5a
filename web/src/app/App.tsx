import { QueryClientProvider } from "@tanstack/react-query";
import { ConfigContext } from "@/api/config";
import type { Config } from "@/api/types";
import { AuthProvider } from "@/features/identity/AuthProvider";
import type { LazyAuthStore } from "@/features/identity/lazyAuthStore";
import { SiteMark } from "@/ui/Mark";
import { SiteName } from "@/ui/Page";
import { Router } from "@/ui/router";
import { makeQueryClient } from "./queryClient";
import { RunProvider } from "./RunProvider";
import { PageRoutes } from "./routes";

const queryClient = makeQueryClient();

/** The whole page. */
export function App({ config, auth }: { config: Config; auth: LazyAuthStore }) {
  return (
    <ConfigContext value={config}>
      <SiteName value={config.product}>
        <SiteMark value={config.site.brand.mark}>
          <QueryClientProvider client={queryClient}>
            <Router>
              <AuthProvider store={auth}>
                <RunProvider>
                  <PageRoutes />
                </RunProvider>
              </AuthProvider>
            </Router>
          </QueryClientProvider>
        </SiteMark>
      </SiteName>
    </ConfigContext>
  );
}
