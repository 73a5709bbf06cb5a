import { type ComponentProps, lazy, Suspense } from "react";
import { classes } from "@/lib/classes";
import type { Menu as WholeMenu } from "./Menu";
import styles from "./Menu.module.css";

const Menu = lazy(async () => ({ default: (await import("./Menu")).Menu }));

/** A Menu whose code is loaded after the first paint. Until then its button can't be pressed. */
export function LazyMenu(props: ComponentProps<typeof WholeMenu>) {
  const awaited = (
    <button type="button" disabled className={classes(styles.button, props.className)} aria-label={props.label}>
      {props.children}
    </button>
  );
  return (
    <Suspense fallback={awaited}>
      <Menu {...props} />
    </Suspense>
  );
}
