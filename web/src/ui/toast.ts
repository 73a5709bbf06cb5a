import type { toastDuration } from "@/lib/constants";

type ToastKind = keyof typeof toastDuration;

interface ToastAction {
  label: string;
  /** Opened in a new tab; works even if a pop-up blocker interfered. */
  href?: string;
  onSelect?: () => void;
}

export interface Toast {
  id: number;
  kind: ToastKind;
  title: string;
  body?: string | undefined;
  action?: ToastAction | undefined;
}

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]) {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Nobody reads more at once: the oldest are removed. */
const limit = 4;

const show =
  (kind: ToastKind) =>
  (title: string, body?: string, action?: ToastAction): number => {
    lastId += 1;
    // A repeated message replaces the earlier one and restarts its timer.
    const others = toasts.filter((each) => each.kind !== kind || each.title !== title || each.body !== body);
    set([...others, { id: lastId, kind, title, body, action }].slice(-limit));
    return lastId;
  };

/**
 * Shows a toast from anywhere: toast.error("Error resuming session", problem.message). Each call returns an id for dismiss;
 * toasts of kind loading stay until they are dismissed.
 */
export const toast = {
  info: show("info"),
  success: show("success"),
  error: show("error"),
  loading: show("loading"),
  dismiss(id: number) {
    set(toasts.filter((each) => each.id !== id));
  },
};

/** The list for the Toaster. */
export const toastStore = {
  get: () => toasts,
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  },
};
