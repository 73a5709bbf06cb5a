// Makes the Parquet files of this folder with two writers that know nothing of our reader: arrow-rs (parquet-wasm) and
// hyparquet-writer; and a spreadsheet with ExcelJS. In a folder with
// `npm i parquet-wasm@0.8.0 apache-arrow@21.2.0 hyparquet-writer@0.17.0 exceljs@4.4.0`: node make.mjs FOLDER
import { createRequire } from "node:module";
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.cwd()}/package.json`);
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const arrow = require("apache-arrow");
const wasm = require("parquet-wasm/node");
const { parquetWriteBuffer } = await load("hyparquet-writer");
const folder = process.argv[2];

const rows = 150;
const range = (make) => Array.from({ length: rows }, (_, i) => make(i));
const maybe = (i, value) => (i % 7 === 3 ? null : value);
const list = new arrow.List(arrow.Field.new("item", new arrow.Int32(), true));
const place = new arrow.Struct([arrow.Field.new("lat", new arrow.Float64(), true), arrow.Field.new("name", new arrow.Utf8(), true)]);
const steps = new arrow.List(arrow.Field.new("item", new arrow.Struct([arrow.Field.new("at", new arrow.Int32(), true), arrow.Field.new("what", new arrow.Utf8(), true)]), true));
const table = new arrow.Table({
  id: arrow.vectorFromArray(range((i) => i + 1), new arrow.Int32()),
  big: arrow.vectorFromArray(range((i) => BigInt(i) * 10_000_000_000n), new arrow.Int64()),
  small: arrow.vectorFromArray(range((i) => i % 200), new arrow.Uint8()),
  value: arrow.vectorFromArray(range((i) => maybe(i, i / 4)), new arrow.Float64()),
  code: arrow.vectorFromArray(range((i) => `00${i % 5}`), new arrow.Utf8()),
  flag: arrow.vectorFromArray(range((i) => maybe(i, i % 2 === 0)), new arrow.Bool()),
  day: arrow.vectorFromArray(range((i) => new Date(Date.UTC(2026, 0, 1 + i))), new arrow.DateDay()),
  at: arrow.vectorFromArray(range((i) => Date.UTC(2026, 0, 1, 12, 0, i) + 250), new arrow.TimestampMillisecond("UTC")),
  list: arrow.vectorFromArray(range((i) => (i === 2 ? null : i === 1 ? [] : [i, null, i + 2])), list),
  place: arrow.vectorFromArray(range((i) => (i === 1 ? null : { lat: i / 2, name: maybe(i, `n"${i}`) })), place),
  steps: arrow.vectorFromArray(range((i) => [{ at: i, what: "a" }, { at: null, what: null }].slice(0, i % 3)), steps),
});
const C = wasm.Compression;
const save = (name, compression, set = (each) => each, content = table) => {
  const properties = set(new wasm.WriterPropertiesBuilder().setCompression(compression)).build();
  writeFileSync(`${folder}/${name}`, wasm.writeParquet(wasm.Table.fromIPCStream(arrow.tableToIPC(content, "stream")), properties));
};
save("arrow-zstd.parquet", C.ZSTD);
save("arrow-snappy-v2.parquet", C.SNAPPY, (each) => each.setWriterVersion(wasm.WriterVersion.V2).setDictionaryEnabled(false).setMaxRowGroupSize(128));
save("arrow-gzip.parquet", C.GZIP, (each) => each.setDataPageSizeLimit(64).setWriteBatchSize(16));
save("arrow-brotli.parquet", C.BROTLI, undefined, table.slice(0, 3));
save("arrow-split.parquet", C.UNCOMPRESSED, (each) => each.setDictionaryEnabled(false).setColumnEncoding("value", wasm.Encoding.BYTE_STREAM_SPLIT));

const schema = [
  { name: "root", num_children: 5 },
  { name: "price", type: "INT64", converted_type: "DECIMAL", scale: 2, precision: 10, repetition_type: "REQUIRED" },
  { name: "time", type: "INT64", converted_type: "TIME_MICROS", repetition_type: "OPTIONAL" },
  { name: "stamp", type: "INT64", logical_type: { type: "TIMESTAMP", isAdjustedToUTC: false, unit: "NANOS" }, repetition_type: "REQUIRED" },
  { name: "key", type: "BYTE_ARRAY", repetition_type: "REQUIRED" },
  { name: "count", type: "INT32", converted_type: "UINT_32", repetition_type: "REQUIRED" },
];
writeFileSync(`${folder}/hyparquet.parquet`, new Uint8Array(parquetWriteBuffer({
  schema,
  columnData: [
    { name: "price", data: [12.5, -0.05, 1000] },
    { name: "time", data: [3_723_000_001n, null, 0n] },
    { name: "stamp", data: [1_767_225_600_000_000_001n, 0n, -1n] },
    { name: "key", data: [new Uint8Array([0, 255]), new TextEncoder().encode("word"), new Uint8Array([])] },
    { name: "count", data: [1, 2, 4_294_967_295] },
  ],
})));

const ExcelJS = require("exceljs");
const book = new ExcelJS.Workbook();
const sheet = book.addWorksheet("Results");
sheet.columns = [{ header: "sample" }, { header: "taken" }, { header: "mass" }, { header: "double" }];
sheet.getColumn(2).numFmt = "dd.mm.yyyy hh:mm";
for (let i = 1; i <= 3; i++) {
  sheet.addRow([i === 2 ? { richText: [{ text: "B " }, { font: { bold: true }, text: "bold" }] } : `S${i}`, new Date(Date.UTC(2026, 1, i, 6, 30)), i * 1.5, { formula: `C${i + 1}*2`, result: i * 3 }]);
}
book.addWorksheet("Notes").addRow(["text"]);
book.addWorksheet("Secret", { state: "hidden" }).addRow(["hidden"]);
book.created = book.modified = new Date(0);
writeFileSync(`${folder}/exceljs.xlsx`, await book.xlsx.writeBuffer());
