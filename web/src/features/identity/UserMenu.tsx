import { useNavigate } from "react-router";
import { count } from "@/lib/format";
import { Avatar } from "@/ui/Avatar";
import { Menu } from "@/ui/Menu";
import styles from "./UserMenu.module.css";
import { useAccount } from "./useAccount";
import { useAuth } from "./useAuth";

/** Who is signed in, the way out, and for operators the way to the accounts, with how many wait for them. */
export function UserMenu() {
  const { state, user, logout } = useAuth();
  const { data: account } = useAccount();
  const navigate = useNavigate();
  if (state !== "authenticated" || !user) {
    return null;
  }
  const name = user.name || user.email || "Signed in";
  const waiting = account?.operator ? account.waiting : 0;
  return (
    <Menu
      label={`Account of ${name}${waiting > 0 ? `, ${count(waiting, "account waits", "accounts wait")}` : ""}`}
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
                label: "Accounts",
                icon: "people" as const,
                note: waiting > 0 ? `${waiting} waiting` : undefined,
                onSelect: () => navigate("/accounts"),
              },
            ]
          : []),
        { label: "Logout", icon: "signOut", onSelect: () => void logout() },
      ]}
    >
      <Avatar of={name} />
      {waiting > 0 && <span className={styles.waiting}>{waiting > 99 ? "99+" : waiting}</span>}
    </Menu>
  );
}
