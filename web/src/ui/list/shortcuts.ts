import { useSyncExternalStore } from "react";

/*
 * Single-character shortcuts interfere with speech input and are easily hit by accident, so they can be turned off for this
 * browser (WCAG 2.1.4).
 */
const key = "shortcuts";
const off = "off";
const listeners = new Set<() => void>();

function subscribe(listener: () => void) {
  listeners.add(listener);
  window.addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", listener);
  };
}

const areOn = () => localStorage.getItem(key) !== off;

function turn(on: boolean) {
  if (on) localStorage.removeItem(key);
  else localStorage.setItem(key, off);
  for (const listener of listeners) listener();
}

/** Whether single-character shortcuts are on, and a function that switches them. */
export function useShortcuts() {
  return { on: useSyncExternalStore(subscribe, areOn, areOn), turn };
}

/** The key that leads to the search box of a page, and from pages without one to the catalog's. */
export const searchKey = "/";

let leadsToSearch = false;

/** Lets the first rendering of the search box on the next page take the focus. */
export function leadToSearch() {
  leadsToSearch = true;
}

/** Whether somebody comes to the page for its search box; only once. */
export function comesToSearch(): boolean {
  const comes = leadsToSearch;
  leadsToSearch = false;
  return comes;
}

/** Elements that use single-character keys themselves. */
const takesKeys =
  "input:not([type=checkbox], [type=radio]), textarea, [contenteditable]:not([contenteditable=false]), [role=menu], dialog";

/** Reports whether only that key was pressed, and the press is meant for the page. */
export function isShortcut(event: KeyboardEvent, wanted: string): boolean {
  if (event.key !== wanted || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return false;
  if (document.querySelector("dialog:modal")) return false;
  return !(event.target instanceof Element && event.target.closest(takesKeys));
}
