import { Avatar } from "@/ui/Avatar";
import { Menu } from "@/ui/Menu";
import { useNavigate } from "@/ui/router";
import { userMenuMessages as words } from "./UserMenu.messages";
import styles from "./UserMenu.module.css";
import { useAccount } from "./useAccount";
import { useAuth } from "./useAuth";

/** The user's name and Logout; for operators also links to the accounts, with the number that wait, and to their other pages. */
export function UserMenu() {
  const { state, user, logout } = useAuth();
  const { data: account } = useAccount();
  const navigate = useNavigate();
  if (state !== "authenticated" || !user) {
    return null;
  }
  const name = user.name || user.email || words.somebody;
  const waiting = account?.operator ? account.waiting : 0;
  return (
    <Menu
      label={words.label(name, waiting)}
      header={
        <span className={styles.who}>
          <strong>{name}</strong>
          {user.email !== name && user.email}
        </span>
      }
      items={[
        ...(account?.operator
          ? [
              {
                label: words.accounts,
                icon: "people" as const,
                note: waiting > 0 ? words.waiting(waiting) : undefined,
                onSelect: () => navigate("/operator/accounts"),
              },
              { label: words.server, icon: "eye" as const, onSelect: () => navigate("/operator") },
            ]
          : []),
        ...(account?.mayHost
          ? [{ label: words.workshops, icon: "people" as const, onSelect: () => navigate("/workshops") }]
          : []),
        { label: words.activity, icon: "file", onSelect: () => navigate("/account/activity") },
        { label: words.connections, icon: "link", onSelect: () => navigate("/account/connections") },
        { label: words.tokens, icon: "lock", onSelect: () => navigate("/account/tokens") },
        { label: words.logout, icon: "signOut", onSelect: () => void logout() },
      ]}
    >
      <Avatar of={name} />
      {waiting > 0 && <span className={styles.waiting}>{words.manyWaiting(waiting)}</span>}
    </Menu>
  );
}
