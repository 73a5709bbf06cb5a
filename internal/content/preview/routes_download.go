package preview

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"

	"cairn/internal/content/notebook"
	"cairn/internal/foundation/diskcache"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/humanize"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/httpapi"

	"github.com/danielgtaylor/huma/v2"
)

// DownloadInput is a download by somebody with a token, or with a signed link.
type DownloadInput struct {
	AskingInput

	Expires   int64  `query:"expires" doc:"Part of the signature"`
	Signature string `query:"signature" doc:"Lets a browser download without a token; see the links that other calls return"`
}

type fileDownloadInput struct {
	DownloadInput

	Path string `query:"path" doc:"Of a file, below the folder of the dataset or repository"`
}

// url returns the address of a download for a reader, signed if the reader has to be known. The query is what follows.
func (l DownloadLinks) url(r catalog.Entry, reader, part, query string, known bool) string {
	if known || !r.Public() {
		query = strings.TrimSuffix(l.signer.query(r, reader)+"&"+query, "&")
	}
	return strings.TrimSuffix(httpapi.Base+"/resources/public/"+r.ID+part+"?"+query, "?")
}

// pathQuery returns the query for the path of a file; "" for none.
func pathQuery(path string) string {
	if path == "" {
		return ""
	}
	return url.Values{"path": {path}}.Encode()
}

// downloadRoutes registers the downloads of datasets.
func (d *Datasets) downloadRoutes(api *httpapi.API) {
	addDownload(api, huma.Operation{
		OperationID: "download-dataset-file", Path: "/resources/public/{id}/dataset/file", Summary: "Download a file of a dataset",
		Description: "As it is, with Range. 401 and 403 where datasets.download doesn't allow it, 413 for a file over datasets.download_limit. " +
			"Repr-Digest (RFC 9530) is the file's SHA-256, in whole answers once it is computed.",
	}, "application/octet-stream", func(ctx context.Context, input *fileDownloadInput) (*huma.StreamResponse, error) {
		file, err := d.file(ctx, input.ID, input.Path, input.Expires, input.Signature)
		return api.Send(file, err)
	})
	addDownload(api, huma.Operation{
		OperationID: "download-dataset", Path: "/resources/public/{id}/dataset.zip", Summary: "Download all files of a dataset",
		Description: "A zip without compression, of what the listings show except what is in linked folders. Refused like single files; 413 also for more " +
			"than 100,000 files, 503 while four others are being sent.",
	}, "application/zip", func(ctx context.Context, input *DownloadInput) (*huma.StreamResponse, error) {
		archive, err := d.archive(ctx, input.ID, input.Expires, input.Signature)
		if err != nil {
			return nil, err
		}
		return api.Stream(archive.close, func(w http.ResponseWriter, _ *http.Request) error {
			httpapi.Attach(w.Header(), archive.name, "application/zip")
			return archive.tree.Zip(w, archive.parts)
		}), nil
	})
}

// downloadRoute registers the download of notebooks.
func (n *Notebooks) downloadRoute(api *httpapi.API) {
	addDownload(api, huma.Operation{
		OperationID: "download-notebook", Path: "/resources/public/{id}/notebook/file", Summary: "Download a notebook",
		Description: "The file as its source has it. Of a repository: the notebook at path.",
	}, notebookType, func(ctx context.Context, input *fileDownloadInput) (*huma.StreamResponse, error) {
		file, err := n.file(codehost.AskedBy(ctx, input.asker), input.ID, input.Path, input.Expires, input.Signature)
		return api.Send(file, err)
	})
}

func addDownload[Input any](api *httpapi.API, operation huma.Operation, kind string, handle func(context.Context, *Input) (*huma.StreamResponse, error)) {
	operation.Method, operation.Tags = http.MethodGet, []string{"Catalog"}
	binary := &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	operation.Responses = map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{kind: binary}}}
	httpapi.Register(api, httpapi.Public, operation, handle)
}

// file opens a file of a dataset to download.
func (d *Datasets) file(ctx context.Context, id, name string, expires int64, signature string) (httpapi.Download, error) {
	file, digest, err := d.digested(ctx, id, name, expires, signature)
	if err != nil {
		return httpapi.Download{}, err
	}
	return httpapi.Download{
		ReadSeeker: file, Closer: file, Name: file.Name, Kind: sentAs(file.Name), Tag: file.Tag, Modified: file.Modified, Digest: digest,
	}, nil
}

// file opens the source of an entry's notebook, or of the one at a path in its repository.
func (n *Notebooks) file(ctx context.Context, id, at string, expires int64, signature string) (httpapi.Download, error) {
	sent := httpapi.Download{Closer: io.NopCloser(nil), Kind: notebookType}
	r, err := n.options.Downloads.signer.entry(ctx, n.entries, id, expires, signature)
	switch {
	case err != nil:
		return sent, err
	case r.Type == catalog.Repository && strings.EqualFold(path.Ext(at), ".ipynb"):
		repository, err := repositoryOf(r, n.options.Hosts)
		if err != nil {
			return sent, err
		}
		file, err := n.options.Hosts.File(ctx, repository, at, notebook.SourceBytes)
		if err != nil {
			return sent, err
		}
		spooled, err := spool(n.options.Folder, file.Content)
		sent.Name, sent.ReadSeeker, sent.Closer, sent.Tag = path.Base(at), spooled, spooled, `"`+diskcache.DigestOf(file.Content)+`"`
		return sent, err
	case r.Type != catalog.Notebook:
		return sent, fault.New(fault.NotFound, "There is no notebook here.")
	}
	return n.notebookFile(ctx, r)
}

// notebookFile opens the source of a notebook's entry.
func (n *Notebooks) notebookFile(ctx context.Context, r catalog.Entry) (httpapi.Download, error) {
	sent := httpapi.Download{Closer: io.NopCloser(nil), Kind: notebookType}
	sent.Name = humanize.FileName(r.Name, "notebook") + ".ipynb"
	source, err := n.sourceOf(r.NotebookPath)
	if err != nil {
		return sent, withAdvice(err)
	}
	if source.here != "" {
		content, err := n.readHere(ctx, source.here)
		sent.ReadSeeker, sent.Tag = bytes.NewReader(content), `"`+diskcache.DigestOf(content)+`"`
		return sent, withAdvice(err)
	}
	file, err := n.fetch(ctx, source, n.files.open)
	if err == nil && file.About.Page != nil {
		_ = file.Close()
		err = errWebPage()
	}
	if err != nil {
		return sent, withAdvice(err)
	}
	sent.ReadSeeker, sent.Closer, sent.Tag = io.NewSectionReader(file, 0, file.Size()), file, `"`+file.Digest+`"`
	return sent, nil
}
