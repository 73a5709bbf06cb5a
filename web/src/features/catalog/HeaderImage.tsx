import { useState } from "react";
import { Icon, type IconName } from "@/ui/Icon";
import styles from "./HeaderImage.module.css";

/** The picture of an entry. Its place stays when it cannot be loaded, and shows what kind of entry it is. */
export function HeaderImage({ address, icon }: { address: string; icon: IconName }) {
  const [failed, setFailed] = useState(false);
  return (
    <div className={styles.place}>
      {failed ? (
        <Icon name={icon} size={40} />
      ) : (
        <img className={styles.image} src={address} alt="" loading="lazy" onError={() => setFailed(true)} />
      )}
    </div>
  );
}
