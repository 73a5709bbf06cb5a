package preview

import (
	"context"
	"encoding/base64"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/httpapi"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
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
		return send(file, err)
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
		return &huma.StreamResponse{Body: func(ctx huma.Context) {
			defer archive.close()
			_, writer := humachi.Unwrap(ctx)
			attach(writer.Header(), archive.name, "application/zip")
			patient := httpapi.NewPatientWriter(writer, httpapi.Patience)
			if err := archive.tree.Zip(patient, archive.parts); err != nil {
				panic(http.ErrAbortHandler) // the browser shows a broken download, not a short file
			}
			patient.Done()
		}}, nil
	})
}

// downloadRoute registers the download of notebooks.
func (n *Notebooks) downloadRoute(api *httpapi.API) {
	addDownload(api, huma.Operation{
		OperationID: "download-notebook", Path: "/resources/public/{id}/notebook/file", Summary: "Download a notebook",
		Description: "The file as its source has it. Of a repository: the notebook at path.",
	}, notebookType, func(ctx context.Context, input *fileDownloadInput) (*huma.StreamResponse, error) {
		file, err := n.file(codehost.AskedBy(ctx, input.asker), input.ID, input.Path, input.Expires, input.Signature)
		return send(file, err)
	})
}

func addDownload[Input any](api *httpapi.API, operation huma.Operation, kind string, handle func(context.Context, *Input) (*huma.StreamResponse, error)) {
	operation.Method, operation.Tags = http.MethodGet, []string{"Catalog"}
	binary := &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	operation.Responses = map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{kind: binary}}}
	httpapi.Register(api, httpapi.Public, operation, handle)
}

// send answers with a file, or the part of it that a Range names.
func send(file sentFile, err error) (*huma.StreamResponse, error) {
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		defer file.Close()
		request, writer := humachi.Unwrap(ctx)
		attach(writer.Header(), file.name, file.kind)
		if file.tag != "" {
			writer.Header().Set("ETag", file.tag)
		}
		patient := httpapi.NewPatientWriter(writer, httpapi.Patience)
		http.ServeContent(&patientResponse{writer, patient, file.digest}, request, "", file.modified, file)
		patient.Done()
	}}, nil
}

// attach makes an answer a download: whatever a file pretends to be, it is shown on no page and runs nothing.
func attach(header http.Header, name, kind string) {
	header.Set("Content-Type", kind)
	header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// patientResponse is an answer whose body is written patiently.
type patientResponse struct {
	http.ResponseWriter

	body   io.Writer
	digest []byte // SHA-256 of the whole body; nil for none
}

// WriteHeader implements http.ResponseWriter. Only a whole answer has the digest: there, who saves the body can check it.
func (r *patientResponse) WriteHeader(status int) {
	if status == http.StatusOK && r.digest != nil {
		r.Header().Set("Repr-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(r.digest)+":")
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write implements io.Writer.
func (r *patientResponse) Write(data []byte) (int, error) { return r.body.Write(data) }
