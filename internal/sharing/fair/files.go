package fair

import (
	"cmp"
	"context"
	"net/url"
	"path"
	"strconv"
	"strings"

	"cairn/internal/content/preview"
	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/safehttp"
)

// addFiles adds the files that strangers may download, at most a number, with the columns of the tables among them. A disk
// that doesn't answer leaves them out.
func (s *Service) addFiles(ctx context.Context, record *Record, r catalog.Entry, most int) {
	site := s.options.Site()
	base := site.Public + site.Base + "/resources/public/" + r.ID
	switch {
	case r.Type == catalog.Dataset && catalog.DataAddress(r.DatasetURL) != "":
		address := linkWithoutMail(catalog.DataAddress(r.DatasetURL))
		name := path.Base(strings.TrimRight(address, "/"))
		record.Files = []File{{Name: name, URL: encodeInLink(address), Type: preview.MediaTypeOf(name), Size: unknownSize}}
	case r.Type == catalog.Dataset && s.options.Datasets != nil:
		found, more := withTimeout(ctx, func(ctx context.Context) ([]preview.PublicFile, bool) {
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
				Path: catalog.WithoutMail(file.Path), Name: catalog.WithoutMail(path.Base(file.Path)), URL: base + "/dataset/file?path=" + url.QueryEscape(file.Path) + record.parameter("&"), Type: preview.MediaTypeOf(file.Path),
				Size: file.Size, SHA256: file.SHA256, Modified: file.Modified, IsTable: file.IsTable,
			}
			if one.IsTable && tables < tablesInForms {
				tables++
				one.Columns = s.columnsOf(ctx, r, file)
			}
			record.Files = append(record.Files, one)
		}
	case r.Type == catalog.Notebook && s.options.Notebooks != nil:
		found, _ := withTimeout(ctx, func(ctx context.Context) (preview.PublicFile, bool) {
			file, err := s.options.Notebooks.PublicFile(safehttp.Offline(ctx), r)
			return file, err == nil
		})
		file := File{Name: catalog.WithoutMail(catalog.NotebookFile(r.NotebookPath)), URL: base + "/notebook/file" + record.parameter("?"), Type: notebookType, Size: unknownSize}
		if found.Path != "" {
			file.Size, file.SHA256 = found.Size, found.SHA256
		}
		record.Files = []File{file}
	}
}

// withTimeout returns what a function finds before a disk has had its time.
func withTimeout[Found any](ctx context.Context, look func(context.Context) (Found, bool)) (Found, bool) {
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
func (s *Service) columnsOf(ctx context.Context, r catalog.Entry, file preview.PublicFile) []Column {
	key := r.ID + "\n" + file.Path + "\n" + file.Tag
	known, generation, ok := s.columns.Get(key)
	if ok {
		return known
	}
	columns, _ := withTimeout(ctx, func(ctx context.Context) ([]Column, bool) {
		table, err := s.options.Datasets.PublicTable(ctx, r, file.Path)
		if err != nil || !table.Header {
			return nil, true
		}
		var list []Column
		for i, from := range table.Columns {
			one := Column{Name: cmp.Or(catalog.WithoutMail(from.Name), "Column "+strconv.Itoa(i+1))} // every field of a record has a name
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
