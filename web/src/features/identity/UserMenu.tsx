import { Avatar } from "@/ui/Avatar";
import { Menu } from "@/ui/Menu";
import styles from "./UserMenu.module.css";
import { useAuth } from "./useAuth";

/** Who is signed in, and the way out. Nothing when nobody is. */
export function UserMenu() {
  const { state, user, logout } = useAuth();
  if (state !== "authenticated" || !user) {
    return null;
  }
  const name = user.name || user.email || "Signed in";
  return (
    <Menu
      label={`Account of ${name}`}
      header={
        <span className={styles.who}>
          <strong>{name}</strong>
          {user.email !== name && user.email}
        </span>
      }
      items={[{ label: "Logout", icon: "signOut", onSelect: () => void logout() }]}
    >
      <Avatar of={name} />
    </Menu>
  );
}
