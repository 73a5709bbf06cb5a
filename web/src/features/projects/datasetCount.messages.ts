import { count } from "@/lib/format";

export const datasetCount = (datasets: number) => count(datasets, "dataset", "datasets");
