import { QueryClientProvider } from "@tanstack/react-query";
import { BrowserRouter } from "react-router";
import { ConfigContext } from "@/api/config";
import type { Config } from "@/api/types";
import { AuthProvider } from "@/features/identity/AuthProvider";
import { SiteMark } from "@/ui/Mark";
import { SiteName } from "@/ui/Page";
import { makeQueryClient } from "./queryClient";
import { PageRoutes } from "./routes";

const queryClient = makeQueryClient();

/** The whole page for one configuration. */
export function App({ config }: { config: Config }) {
  return (
    <ConfigContext value={config}>
      <SiteName value={config.product}>
        <SiteMark value={config.site.brand.mark}>
          <QueryClientProvider client={queryClient}>
            <BrowserRouter>
              <AuthProvider>
                <PageRoutes />
              </AuthProvider>
            </BrowserRouter>
          </QueryClientProvider>
        </SiteMark>
      </SiteName>
    </ConfigContext>
  );
}
