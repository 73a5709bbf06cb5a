import type { Resource } from "@/api/types";
import { Cover } from "@/features/catalog/Cover";
import { resourceCardMessages as messages } from "@/features/catalog/cards/ResourceCard.messages";
import styles from "@/features/catalog/cards/ResourceCard.module.css";
import grid from "@/features/catalog/cards/ResourceGrid.module.css";
import { DataBadge } from "@/features/catalog/DataBadge";
import { kinds, resourceTypes } from "@/features/catalog/kinds";
import { TypeBadge } from "@/features/catalog/TypeBadge";
import avatar from "@/ui/Avatar.module.css";
import { Badge } from "@/ui/Badge";
import { aboveCardLink, Card, cardLink } from "@/ui/Card";
import { Icon } from "@/ui/Icon";
import menu from "@/ui/Menu.module.css";
import { address, If, Range, text, withCover } from "./actions";

/** The entries in the dot as cards, as ResourceGrid shows them. */
export function CardsTemplate() {
  return (
    <ul className={grid.grid}>
      <Range of=".">
        <li>
          {resourceTypes.map((type) => (
            <If key={type} of={`eq .Type "${type}"`}>
              <Card tone={kinds[type].tone} linked>
                <If of=".CoverURL">
                  <If of=".HeaderImageURL" otherwise={<Cover resource={withCover("")} className={styles.picture} />}>
                    <Cover resource={withCover("it")} className={styles.picture} />
                  </If>
                </If>
                <div className={styles.top}>
                  <TypeBadge type={type} />
                  <If of=".Version">
                    <span className={styles.version}>{text(".Version")}</span>
                  </If>
                  <time className={styles.date} dateTime={text(".CreatedAt")}>
                    {text(".CreatedOn")}
                  </time>
                  <button type="button" className={`${menu.button} ${aboveCardLink}`} tabIndex={-1}>
                    <Icon name="more" />
                  </button>
                </div>
                <h3 className={styles.name}>
                  <a className={cardLink} href={address(".Path")} target="_blank" rel="noopener">
                    {text(".Name")}
                  </a>
                </h3>
                <If of=".DataMissing">
                  <p className={styles.condition}>
                    <DataBadge resource={{ dataMissing: true } as Resource} />
                  </p>
                </If>
                <If of=".Ran">
                  <p className={styles.condition}>
                    <Badge tone="grey">{text(".Ran")}</Badge>
                  </p>
                </If>
                <If of=".Description">
                  <p className={styles.description}>{text(".Description")}</p>
                </If>
                <If of=".Tags">
                  <ul className={styles.tags} aria-label={messages.tags}>
                    <Range of=".Tags">
                      <li>{text(".")}</li>
                    </Range>
                    <If of=".MoreTags">
                      <li className={styles.more}>{messages.moreTags(text(".MoreTags"))}</li>
                    </If>
                  </ul>
                </If>
                <footer className={styles.foot}>
                  <If of=".Author">
                    <span className={styles.author}>
                      <span className={`${avatar.avatar} ${avatar.small}`} aria-hidden="true">
                        {text(".Initials")}
                      </span>
                      <span className={styles.address}>{text(".Author")}</span>
                    </span>
                  </If>
                  <button type="button" className={styles.star} tabIndex={-1}>
                    <Icon name="star" size={15} />
                  </button>
                </footer>
              </Card>
            </If>
          ))}
        </li>
      </Range>
    </ul>
  );
}
