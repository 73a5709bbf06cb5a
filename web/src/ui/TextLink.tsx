import type { ReactNode } from "react";
import { isPage } from "@/lib/links";
import { Link } from "@/ui/router";

interface TextLinkProps {
  /** A page of this site, another path of this server, or an address elsewhere: that one opens in a new tab. */
  href: string;
  children: ReactNode;
  className?: string | undefined;
}

/** A link whose address comes from content, wherever it leads. */
export function TextLink({ href, children, className }: TextLinkProps) {
  if (isPage(href)) {
    return (
      <Link to={href} className={className}>
        {children}
      </Link>
    );
  }
  const elsewhere = !href.startsWith("/");
  return (
    <a href={href} className={className} {...(elsewhere && { target: "_blank", rel: "noopener noreferrer" })}>
      {children}
    </a>
  );
}
