package preview

import (
	"path"
	"strings"
)

const (
	notebookType = "application/x-ipynb+json"
	unknownType  = "application/octet-stream"
)

// fileTypes are the media types of files by their endings. The system's own table differs from machine to machine.
var fileTypes = map[string]string{
	".csv": "text/csv", ".tsv": "text/tab-separated-values", ".tab": "text/tab-separated-values", ".txt": "text/plain", ".log": "text/plain",
	".md": "text/markdown", ".markdown": "text/markdown", ".py": "text/x-python", ".r": "text/x-r", ".jl": "text/x-julia", ".json": "application/json",
	".jsonl": "application/jsonl", ".yaml": "application/yaml", ".yml": "application/yaml", ".xml": "application/xml", ".html": "text/html",
	".pdf": "application/pdf", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".svg": "image/svg+xml", ".tif": "image/tiff",
	".tiff": "image/tiff", ".ipynb": notebookType, ".zip": "application/zip", ".gz": "application/gzip", ".tar": "application/x-tar",
	".h5": "application/x-hdf5", ".hdf5": "application/x-hdf5", ".nc": "application/x-netcdf", ".parquet": "application/vnd.apache.parquet", ".pq": "application/vnd.apache.parquet",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".xlsm": "application/vnd.ms-excel.sheet.macroenabled.12",
	".cdf": "application/x-netcdf", ".nc4": "application/x-netcdf", ".he5": "application/x-hdf5",
	".npy": "application/octet-stream", ".pdb": "chemical/x-pdb", ".xyz": "chemical/x-xyz", ".fasta": "text/x-fasta", ".fa": "text/x-fasta", ".wav": "audio/wav",
	".mp4": "video/mp4", ".sql": "application/sql", ".tex": "text/x-tex", ".bib": "application/x-bibtex", ".nwb": "application/x-hdf5",
}

// MediaTypeOf returns the media type of a file by its name.
func MediaTypeOf(name string) string {
	if found := fileTypes[strings.ToLower(path.Ext(name))]; found != "" {
		return found
	}
	if base := strings.ToLower(path.Base(name)); base == "readme" || base == "license" {
		return "text/plain"
	}
	return unknownType
}

// sentAs returns the media type with which a file is sent: none that a browser might show as a page.
func sentAs(name string) string {
	switch kind := MediaTypeOf(name); kind {
	case "text/html", "image/svg+xml", "application/xml", "application/pdf":
		return unknownType
	default:
		return kind
	}
}
