package fair

import (
	"context"
	"net/url"
	"path"
	"strings"

	"cairn/internal/catalog"
	"cairn/internal/preview"
	"cairn/internal/safehttp"
)

// addFiles adds the files that strangers may download, at most a number, with the columns of the tables among them. A disk
// that doesn't answer leaves them out.
func (s *Service) addFiles(ctx context.Context, record *Record, r catalog.Resource, most int) {
	site := s.options.Site()
	base := site.Public + site.Base + "/resources/public/" + r.ID
	switch {
	case r.Type == catalog.Dataset && catalog.ValidHTTPS(r.DatasetURL):
		address := linkWithoutMail(r.DatasetURL)
		name := path.Base(strings.TrimRight(address, "/"))
		record.Files = []File{{Name: name, URL: encodeInLink(address), Type: typeOf(name, elsewhereType), Size: unknownSize}}
	case r.Type == catalog.Dataset && s.options.Datasets != nil:
		found, more := briefly(ctx, func(ctx context.Context) ([]preview.PublicFile, bool) {
			files, more, err := s.options.Datasets.PublicFiles(ctx, r, most)
			if err != nil {
				return nil, false // that the data isn't here is a state of the entry, which its page shows
			}
			return files, more
		})
		record.MoreFiles = more
		tables := 0
		for _, file := range found {
			one := File{
				Path: withoutMail(file.Path), Name: withoutMail(path.Base(file.Path)), URL: base + "/dataset/file?path=" + url.QueryEscape(file.Path), Type: typeOf(file.Path, elsewhereType),
				Size: file.Size, SHA256: file.SHA256, Modified: file.Modified, IsTable: file.IsTable,
			}
			if one.IsTable && tables < tablesInForms {
				tables++
				one.Columns = s.columnsOf(ctx, r, file)
			}
			record.Files = append(record.Files, one)
		}
	case r.Type == catalog.Notebook && s.options.Notebooks != nil:
		found, _ := briefly(ctx, func(ctx context.Context) (preview.PublicFile, bool) {
			file, err := s.options.Notebooks.PublicFile(safehttp.Offline(ctx), r)
			return file, err == nil
		})
		file := File{Name: withoutMail(catalog.NotebookFile(r.NotebookPath)), URL: base + "/notebook/file", Type: notebookType, Size: unknownSize}
		if found.Path != "" {
			file.Size, file.SHA256 = found.Size, found.SHA256
		}
		record.Files = []File{file}
	}
}

// briefly returns what a function finds before a disk has had its time.
func briefly[Found any](ctx context.Context, look func(context.Context) (Found, bool)) (Found, bool) {
	type answer struct {
		found Found
		ok    bool
	}
	ctx, cancel := context.WithTimeout(ctx, filesWait)
	defer cancel()
	asked := make(chan answer, 1)
	go func() {
		found, ok := look(ctx)
		asked <- answer{found, ok}
	}()
	select {
	case got := <-asked:
		return got.found, got.ok
	case <-ctx.Done():
		var none Found
		return none, false
	}
}

// columnsOf returns the columns of a table, from its preview. Tables without names of columns have none.
func (s *Service) columnsOf(ctx context.Context, r catalog.Resource, file preview.PublicFile) []Column {
	key := r.ID + "\n" + file.Path + "\n" + file.Tag
	known, generation, ok := s.columns.Get(key)
	if ok {
		return known
	}
	columns, _ := briefly(ctx, func(ctx context.Context) ([]Column, bool) {
		table, err := s.options.Datasets.PublicTable(ctx, r, file.Path)
		if err != nil || !table.Header {
			return nil, true
		}
		var list []Column
		for _, from := range table.Columns {
			one := Column{Name: withoutMail(from.Name)}
			if from.Numbers != nil {
				one.IsNumber, one.Count = true, from.Numbers.Count
				one.Minimum, one.Maximum, one.Mean = from.Numbers.Minimum, from.Numbers.Maximum, from.Numbers.Mean
			}
			list = append(list, one)
		}
		s.columns.Put(key, list, s.options.Now().Add(columnsKeep), generation)
		return list, true
	})
	return columns
}

// fileTypes are the media types of files by their endings. The system's own table differs from machine to machine.
var fileTypes = map[string]string{
	".csv": "text/csv", ".tsv": "text/tab-separated-values", ".tab": "text/tab-separated-values", ".txt": "text/plain", ".log": "text/plain",
	".md": "text/markdown", ".markdown": "text/markdown", ".py": "text/x-python", ".r": "text/x-r", ".jl": "text/x-julia", ".json": "application/json",
	".jsonl": "application/jsonl", ".yaml": "application/yaml", ".yml": "application/yaml", ".xml": "application/xml", ".html": "text/html",
	".pdf": "application/pdf", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".svg": "image/svg+xml", ".tif": "image/tiff",
	".tiff": "image/tiff", ".ipynb": notebookType, ".zip": "application/zip", ".gz": "application/gzip", ".tar": "application/x-tar",
	".h5": "application/x-hdf5", ".hdf5": "application/x-hdf5", ".nc": "application/x-netcdf", ".parquet": "application/vnd.apache.parquet",
	".npy": "application/octet-stream", ".pdb": "chemical/x-pdb", ".xyz": "chemical/x-xyz", ".fasta": "text/x-fasta", ".fa": "text/x-fasta", ".wav": "audio/wav",
	".mp4": "video/mp4", ".sql": "application/sql", ".tex": "text/x-tex", ".bib": "application/x-bibtex", ".nwb": "application/x-hdf5",
}

func typeOf(name, otherwise string) string {
	if found := fileTypes[strings.ToLower(path.Ext(name))]; found != "" {
		return found
	}
	if base := strings.ToLower(path.Base(name)); base == "readme" || base == "license" {
		return "text/plain"
	}
	return otherwise
}
