import { isPage } from "@/lib/links";

type Replace = (address: string) => void;

/**
 * Goes on to the address that somebody signed in for, in place of the current one: within the application to its pages,
 * and by loading what the server writes itself, such as /api/docs. `returnAddress` made the address.
 */
export function arrive(
  address: string,
  navigate: (to: string, options: { replace: true }) => void,
  load: Replace,
): void {
  if (isPage(address)) navigate(address, { replace: true });
  else load(address);
}
