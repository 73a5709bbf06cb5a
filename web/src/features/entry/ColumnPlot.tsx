import { useState } from "react";
import type { DatasetTable, TableColumn } from "@/api/types";
import { field, fieldX, fieldY, linePath, measured, moment, nearest, rounded, ticks } from "@/lib/plot";
import { Chip } from "@/ui/list/Chip";
import { columnPlotMessages as messages } from "./ColumnPlot.messages";
import styles from "./ColumnPlot.module.css";
import { type Axis, PlotFrame } from "./PlotFrame";
import { TableChoice } from "./TableChoice";
import { tablePreviewMessages } from "./TablePreview.messages";

type Numbers = NonNullable<TableColumn["numbers"]>;

/** A small plot of one column of numbers: a line over the rows, or a histogram. */
export function ColumnPlot({ table }: { table: DatasetTable }) {
  const { orderedBy, plotted, rowsRead, complete } = table;
  const columns = table.columns.map((column, index) => ({
    ...column,
    name: column.name || tablePreviewMessages.unnamed(index + 1),
  }));
  const offered = columns.flatMap(({ name, numbers }, index) =>
    numbers && index !== orderedBy ? [{ index, name, numbers }] : [],
  );
  const [chosen, setChosen] = useState(plotted);
  // A line makes no sense for unordered rows.
  const [distribution, setDistribution] = useState(orderedBy === undefined);
  // What is under the pointer.
  const [pointed, setPointed] = useState<string>();
  const column = offered.find(({ index }) => index === chosen) ?? offered[0];
  if (!column) return null;

  const { name, numbers } = column;
  const order = orderedBy === undefined ? undefined : columns[orderedBy];
  const rows = messages.rows(rowsRead, complete);
  const [smallest, largest, mean] = [measured(numbers.minimum), measured(numbers.maximum), rounded(numbers.mean)];
  const values = messages.values(numbers.count, rows, smallest, largest, mean);
  return (
    <figure className={styles.plot}>
      <div className={styles.choices}>
        <TableChoice
          label={messages.column}
          value={String(column.index)}
          options={offered.map((each) => ({ value: String(each.index), text: each.name }))}
          onChange={(value) => setChosen(Number(value))}
        />
        <div className={styles.kinds}>
          <Chip pressed={!distribution} onToggle={() => setDistribution(false)}>
            {messages.line}
          </Chip>
          <Chip pressed={distribution} onToggle={() => setDistribution(true)}>
            {messages.distribution}
          </Chip>
        </div>
      </div>
      {distribution ? (
        <Histogram numbers={numbers} name={name} label={messages.distributionOf(name, values)} />
      ) : (
        <Line
          numbers={numbers}
          order={order}
          rows={rowsRead}
          name={name}
          onPoint={setPointed}
          label={messages.lineOf(name, order?.name, values)}
        />
      )}
      <figcaption className={styles.caption}>
        {pointed ?? values}
        {numbers.count < rowsRead && messages.noNumber(rowsRead - numbers.count)}
      </figcaption>
    </figure>
  );
}

function Line({
  numbers,
  order,
  rows,
  name,
  label,
  onPoint,
}: {
  numbers: Numbers;
  order: TableColumn | undefined;
  rows: number;
  name: string;
  /** Tells which values are under the pointer; undefined once it has left. */
  onPoint: (values: string | undefined) => void;
  label: string;
}) {
  const { lines, minimum, maximum } = numbers;
  const ends = lines.flatMap((line) => line.map(([x = 0]) => x));
  const x = order?.numbers
    ? ([order.numbers.minimum, order.numbers.maximum] as const)
    : ([ends[0] ?? 1, ends.at(-1) ?? rows] as const);
  const y = [minimum, maximum] as const;
  const isMoment = order?.kind === "DATE";
  const across: Axis = { name: order?.name ?? messages.row, ...marksOfX(x, isMoment) };
  const marks = ticks(...y, 4);
  const point = (place: number | undefined) => {
    const found = place === undefined ? undefined : nearest(lines, x[0] + place * (x[1] - x[0]));
    onPoint(
      found &&
        messages.point(
          across.name,
          isMoment ? moment(found[0], x[1] - x[0]) : measured(found[0]),
          name,
          measured(found[1]),
        ),
    );
  };
  return (
    <PlotFrame
      label={label}
      across={across}
      upName={name}
      up={marks.map((value) => ({ place: fieldY(value, ...y), text: measured(value) }))}
      onPoint={point}
    >
      {lines.map((line) => {
        const path = linePath(line, x, y);
        return <path key={path} d={path} className={styles.line} />;
      })}
    </PlotFrame>
  );
}

function Histogram({ numbers, name, label }: { numbers: Numbers; name: string; label: string }) {
  const { histogram, minimum, maximum } = numbers;
  const most = Math.max(...histogram);
  if (minimum === maximum) return <p className={styles.caption}>{messages.allAlike(measured(minimum))}</p>;
  const width = field / histogram.length;
  return (
    <PlotFrame
      label={label}
      across={{ name, ...marksOfX([minimum, maximum], false) }}
      upName={messages.count}
      up={ticks(0, most, 4).map((value) => ({ place: fieldY(value, 0, most), text: measured(value) }))}
    >
      {histogram.map((values, index) => {
        const left = index * width;
        const top = fieldY(values, 0, most);
        const height = fieldY(0, 0, most) - top;
        return <rect key={left} x={left + 1} y={top} width={width - 2} height={height} className={styles.bar} />;
      })}
    </PlotFrame>
  );
}

/** The ticks below a plot: round numbers, or the two ends of a time span. */
function marksOfX([from, to]: readonly [number, number], isMoment: boolean): Pick<Axis, "marks"> {
  if (!isMoment) {
    return { marks: ticks(from, to, 5).map((value) => ({ place: fieldX(value, from, to), text: measured(value) })) };
  }
  return {
    marks: [
      { place: 0, text: moment(from, to - from) },
      { place: field, text: moment(to, to - from) },
    ],
  };
}
