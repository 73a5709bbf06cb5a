import { useQuery } from "@tanstack/react-query";
import { BackLink } from "@/ui/BackLink";
import { Page } from "@/ui/Page";
import { useParams } from "@/ui/router";
import { valuesOf } from "./draft";
import { OneWorkshop } from "./OneWorkshop";
import { workshopPath } from "./paths";
import { workshopQuery } from "./queries";
import type { Workshop } from "./types";
import { WorkshopForm } from "./WorkshopForm";
import { workshopFormMessages as messages } from "./WorkshopForm.messages";

/** /workshops/:id/edit */
export function EditWorkshopPage() {
  const { id = "" } = useParams();
  // What is typed isn't replaced while others change it.
  const asked = useQuery({ ...workshopQuery(id), refetchInterval: false, refetchOnWindowFocus: false });
  return (
    <OneWorkshop id={id} asked={asked}>
      {(workshop) => <Editing key={id} workshop={workshop} />}
    </OneWorkshop>
  );
}

function Editing({ workshop }: { workshop: Workshop }) {
  const { id, name } = workshop;
  return (
    <Page
      title={messages.editTitle(name)}
      heading={<bdi>{messages.editTitle(name)}</bdi>}
      above={<BackLink to={workshopPath(id)} />}
      width="narrow"
    >
      <WorkshopForm initial={valuesOf(workshop)} workshop={workshop} />
    </Page>
  );
}
