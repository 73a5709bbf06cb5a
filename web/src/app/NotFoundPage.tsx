import { catalogPath } from "@/features/catalog/filters";
import { LinkButton } from "@/ui/Button";
import { SearchForm } from "@/ui/form/SearchForm";
import { Mark } from "@/ui/Mark";
import { Page } from "@/ui/Page";
import { Link, useNavigate } from "@/ui/router";
import { notFoundMessages as words } from "./NotFoundPage.messages";
import styles from "./NotFoundPage.module.css";

/** The page for unknown addresses. */
export function NotFoundPage() {
  const navigate = useNavigate();
  return (
    <Page
      subtitle={words.body}
      above={
        <span className={styles.mark}>
          <Mark size={56} />
        </span>
      }
      width="narrow"
    >
      <div className={styles.ways}>
        <SearchForm
          label={words.search}
          placeholder={words.placeholder}
          onSearch={(text) => navigate(catalogPath(text === "" ? {} : { text }))}
        />
        <div className={styles.links}>
          <LinkButton to={catalogPath()}>{words.browse}</LinkButton>
          <Link to="/">{words.first}</Link>
        </div>
      </div>
    </Page>
  );
}
