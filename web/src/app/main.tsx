import "@/ui/tokens.css";
import "@/ui/base.css";
import { startTransition } from "react";
import { createRoot } from "react-dom/client";
import { loadConfig } from "@/api/config";
import { watchNetwork } from "@/api/connection";
import { messageOf } from "@/api/problem";
import { ErrorState } from "@/ui/ErrorState";
import { App } from "./App";
import { startMessages } from "./main.messages";
import { applyTheme } from "./theme";

const container = document.getElementById("root");
if (!container) throw new Error("index.html has no #root");
const root = createRoot(container);
keepBarFocus(container);

watchNetwork(window);
applyTheme(document.documentElement, localStorage);
loadConfig().then(
  // In slices, so that the browser can paint and answer in between.
  (config) => startTransition(() => root.render(<App config={config} />)),
  (error) =>
    root.render(
      <ErrorState title={startMessages.failed} message={messageOf(error)} onRetry={() => location.reload()} />,
    ),
);

/** Moves the focus from a link in the document's bar to the same link in the bar that replaces it. */
function keepBarFocus(place: HTMLElement) {
  const controls = () => [...place.querySelectorAll<HTMLElement>("a,button")];
  const indexOf = (control: EventTarget | null) => controls().indexOf(control as HTMLElement);
  let held = indexOf(document.activeElement);
  const follow = ({ target }: FocusEvent) => {
    held = indexOf(target);
  };
  place.addEventListener("focusin", follow);
  new MutationObserver((_, observer) => {
    observer.disconnect();
    place.removeEventListener("focusin", follow);
    if (document.activeElement === document.body) controls()[held]?.focus({ preventScroll: true });
  }).observe(place, { childList: true });
}
