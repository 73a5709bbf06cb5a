import { useState } from "react";
import type { Resource } from "@/api/types";
import { classes } from "@/lib/classes";
import { Icon, type IconName } from "@/ui/Icon";
import styles from "./HeaderImage.module.css";
import { kindOf } from "./kinds";

/** The picture of an entry, if it has one. */
export function HeaderImage({ resource, className }: { resource: Resource; className?: string | undefined }) {
  const { headerImageUrl, type } = resource;
  if (!headerImageUrl) return null;
  return <Picture key={headerImageUrl} address={headerImageUrl} icon={kindOf(type).icon} className={className} />;
}

interface PictureProps {
  address: string;
  /** Shown in place of the image. */
  icon: IconName;
  className: string | undefined;
}

/** If it can't be loaded, a placeholder shows the entry's kind. */
function Picture({ address, icon, className }: PictureProps) {
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
