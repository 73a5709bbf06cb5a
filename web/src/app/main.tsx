import "@/ui/tokens.css";
import "@/ui/base.css";
import { createRoot } from "react-dom/client";
import { loadConfig } from "@/api/config";
import { watchNetwork } from "@/api/connection";
import { messageOf } from "@/api/problem";
import { ErrorState } from "@/ui/ErrorState";
import { App } from "./App";
import { startMessages } from "./messages";
import { applyTheme } from "./theme";

const container = document.getElementById("root");
if (!container) throw new Error("index.html has no #root");
const root = createRoot(container);

watchNetwork(window);
applyTheme(document.documentElement, localStorage);
loadConfig().then(
  (config) => root.render(<App config={config} />),
  (error) =>
    root.render(
      <ErrorState title={startMessages.failed} message={messageOf(error)} onRetry={() => location.reload()} />,
    ),
);
