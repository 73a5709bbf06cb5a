import { useState } from "react";
import { classes } from "@/lib/classes";
import { Icon, type IconName } from "@/ui/Icon";
import styles from "./HeaderImage.module.css";

interface HeaderImageProps {
  address: string;
  /** What stands in its place. */
  icon: IconName;
  className?: string | undefined;
}

/** The picture of an entry. Its place stays when it cannot be loaded, and shows what kind of entry it is. */
export function HeaderImage({ address, icon, className }: HeaderImageProps) {
  const [failed, setFailed] = useState(false);
  return (
    <div className={classes(styles.place, className)}>
      {failed ? (
        <Icon name={icon} size={40} />
      ) : (
        <img className={styles.image} src={address} alt="" loading="lazy" onError={() => setFailed(true)} />
      )}
    </div>
  );
}
