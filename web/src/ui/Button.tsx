import { type ComponentProps, lazy, type ReactElement, type ReactNode, Suspense } from "react";
import { classes } from "@/lib/classes";
import { Link } from "@/ui/router";
import styles from "./Button.module.css";

const Tooltip = lazy(async () => ({ default: (await import("./Tooltip")).Tooltip }));

interface Look {
  /** One primary action per view; "danger" only for actions that can't be undone. */
  variant?: "primary" | "secondary" | "quiet" | "danger";
  size?: "medium" | "small";
}

const look = ({ variant = "secondary", size = "medium" }: Look, className?: string) =>
  classes(styles.button, styles[variant], styles[size], className);

interface ButtonProps extends Look, ComponentProps<"button"> {
  /** Why it can't be used now. The button stays focusable and shows the reason as a tooltip. */
  unavailable?: string | undefined;
  /** Its action is in progress, and clicks are ignored. */
  busy?: boolean;
}

/** A button. With only an icon, it needs an aria-label. */
export function Button({ variant, size, unavailable, busy = false, className, onClick, ...rest }: ButtonProps) {
  const off = unavailable !== undefined || busy;
  const button: ReactElement<{ "aria-describedby"?: string }> = (
    <button
      type="button"
      {...rest}
      {...(off && { "aria-disabled": true })}
      {...(busy && { "aria-busy": true })}
      className={look({ ...(variant && { variant }), ...(size && { size }) }, className)}
      onClick={(event) => {
        if (off) event.preventDefault();
        else onClick?.(event);
      }}
    />
  );
  if (unavailable === undefined) return button;
  return (
    <Suspense fallback={button}>
      <Tooltip text={unavailable}>{button}</Tooltip>
    </Suspense>
  );
}

interface LinkButtonProps extends Look {
  to: string;
  /** Another site or another tab: a plain link that reveals nothing about this page. */
  newTab?: boolean;
  /** In addition to the browser's handling of the link. */
  onClick?: () => void;
  title?: string;
  children: ReactNode;
  className?: string | undefined;
}

/** A link that looks like a button. */
export function LinkButton({ to, newTab = false, onClick, title, children, className, ...rest }: LinkButtonProps) {
  if (newTab) {
    return (
      <a className={look(rest, className)} href={to} target="_blank" rel="noopener noreferrer" onClick={onClick}>
        {children}
      </a>
    );
  }
  return (
    <Link className={look(rest, className)} to={to} onClick={onClick} title={title}>
      {children}
    </Link>
  );
}

/** A link to a file that the browser saves. */
export function FileButton({
  to,
  title,
  children,
}: Pick<LinkButtonProps, "to" | "children"> & { title?: string | undefined }) {
  return (
    <a className={look({})} href={to} title={title} download>
      {children}
    </a>
  );
}
