import "./keepLink";
import "@/ui/tokens.css";
import "@/ui/base.css";
import { createRoot } from "react-dom/client";
import { loadConfig } from "@/api/config";
import { watchNetwork } from "@/api/connection";
import { messageOf } from "@/api/problem";
import { makeStore } from "@/features/identity/AuthProvider";
import { ErrorState } from "@/ui/ErrorState";
import { App } from "./App";
import { startMessages } from "./main.messages";
import { applyTheme } from "./theme";

const container = document.getElementById("root");
if (!container) throw new Error("index.html has no #root");
const root = createRoot(container);
keepInput(container);

watchNetwork(window);
applyTheme(document.documentElement, localStorage);
start().catch((error) =>
  root.render(<ErrorState title={startMessages.failed} message={messageOf(error)} onRetry={() => location.reload()} />),
);

/** Replaces the document by the page, which knows from the start who is signed in. */
async function start() {
  const config = await loadConfig();
  const auth = makeStore(config.oidc);
  await auth.arrive();
  root.render(<App config={config} auth={auth} />);
}

/** Keeps what was done in the document before the page replaces it: the focus, and a text typed into a search box. */
function keepInput(place: HTMLElement) {
  const nameOf = (control: Element) => control.tagName + control.getAttribute("name") + control.textContent;
  let held = document.activeElement as HTMLElement | null;
  const follow = ({ target }: FocusEvent) => {
    held = target as HTMLElement;
  };
  place.addEventListener("focusin", follow);
  new MutationObserver((_, observer) => {
    observer.disconnect();
    place.removeEventListener("focusin", follow);
    const was = held;
    if (!was || document.activeElement !== document.body) return;
    [...place.querySelectorAll<HTMLElement>("a,button,input")].find((each) => nameOf(each) === nameOf(was))?.focus();
    // As if it were typed again: the page's components listen.
    if (was instanceof HTMLInputElement) document.execCommand("insertText", false, was.value);
  }).observe(place, { childList: true });
}
