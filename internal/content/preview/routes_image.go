package preview

import (
	"context"
	"io"
	"net/http"
	"strconv"

	"cairn/internal/content/raster"
	"cairn/internal/entries/catalog"
	"cairn/internal/foundation/httpapi"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
)

type headerImageInput struct {
	ID        string `path:"id"`
	Expires   int64  `query:"expires" doc:"Part of the signature"`
	Signature string `query:"signature" doc:"Lets an <img> show the picture of a private entry; see headerImageUrl"`
}

// Routes registers the operation of header images.
func (h *HeaderImages) Routes(api *httpapi.API) {
	content := map[string]*huma.MediaType{}
	for _, kind := range raster.Kinds() {
		content[kind.MIME] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	}
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "get-header-image", Method: http.MethodGet, Path: "/resources/public/{id}/header-image", Tags: []string{"Catalog"},
		Summary: "The header image of an entry",
		Description: "Fetched and kept by the server: PNG, JPEG, GIF or WebP, 5 MiB at most. Anything else at its address, " +
			"an address in a private network, and a source that does not answer are 404.",
		Responses: map[string]*huma.Response{"200": {Description: "OK", Content: content}},
	}, h.handle)
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "get-picture", Method: http.MethodGet, Path: "/resources/public/{id}/picture", Tags: []string{"Catalog"},
		Summary: "A picture in the description of an entry, or in its repository",
		Description: "With address alone, the picture at an address that the description contains; with file and address, at one that " +
			"this text file of the repository contains; with file alone, the file itself. The rules are those of header images, " +
			"and any other address is 404.",
		Responses: map[string]*huma.Response{"200": {Description: "OK", Content: content}},
	}, h.handlePicture)
}

func (h *HeaderImages) handle(ctx context.Context, input *headerImageInput) (*huma.StreamResponse, error) {
	resource, err := h.Entry(ctx, input.ID, input.Expires, input.Signature)
	if err != nil {
		return nil, err
	}
	image, err := h.open(ctx, resource)
	return served(resource, image), err
}

type pictureInput struct {
	ID        string `path:"id"`
	Expires   int64  `query:"expires" doc:"Part of the signature"`
	Signature string `query:"signature" doc:"Lets an <img> show the picture of a private entry: that of its coverUrl"`
	Address   string `query:"address" maxLength:"2000" doc:"Of a picture on the web"`
	File      string `query:"file" maxLength:"1000" doc:"From the root of the repository"`
}

func (h *HeaderImages) handlePicture(ctx context.Context, input *pictureInput) (*huma.StreamResponse, error) {
	resource, err := h.Entry(ctx, input.ID, input.Expires, input.Signature)
	if err != nil {
		return nil, err
	}
	image, err := h.picture(ctx, resource, input.File, input.Address)
	return served(resource, image), notShown(ctx, err, "This picture cannot be shown.")
}

// served answers with a picture; nil is none.
func served(resource catalog.Entry, image *HeaderImage) *huma.StreamResponse {
	if image == nil {
		return nil
	}
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		request, writer := humachi.Unwrap(ctx)
		kept := "public, max-age=3600"
		if !resource.Public() {
			kept = PrivatePicture
		}
		image.send(writer, request, kept, "same-origin")
	}}
}

// send answers with the picture and closes it. kept is its Cache-Control, and policy says which pages may show it.
func (image *HeaderImage) send(w http.ResponseWriter, r *http.Request, kept, policy string) {
	defer image.File.Close()
	header := w.Header()
	header.Set("Content-Type", image.MIME)
	header.Set("ETag", image.Tag)
	header.Set("Cache-Control", kept)
	// Whatever a file pretends to be, it is shown as a picture and runs nothing.
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	header.Set("Cross-Origin-Resource-Policy", policy)
	header.Set("Content-Disposition", "inline")
	if httpapi.MatchesTag(r.Header.Get("If-None-Match"), image.Tag) {
		header.Del("Content-Type")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	header.Set("Content-Length", strconv.FormatInt(image.Size, 10))
	_, _ = io.Copy(w, image.File)
}

// Entry returns an entry for a caller who may see it, or for the holder of a signature of its pictures; signature may be
// "".
func (h *HeaderImages) Entry(ctx context.Context, id string, expires int64, signature string) (catalog.Entry, error) {
	return h.links.signer.entry(ctx, h.entries, id, expires, signature)
}

// ImageLinks are the addresses of header images for the readers of entries.
type ImageLinks struct{ signer signer }

// Link adds an entry's headerImageUrl.
func (l ImageLinks) Link() catalog.Link { return catalog.Link{Add: l.add} }

func (l ImageLinks) add(r *catalog.Resource, reader catalog.Reader) {
	entry := *r.Entry()
	if !HasHeaderImage(entry) || entry.ForHost() {
		return
	}
	r.HeaderImageURL = httpapi.Base + "/resources/public/" + r.ID + "/header-image"
	if query := l.Query(entry, reader.Email); query != "" {
		r.HeaderImageURL += "?" + query
	}
}

// Query returns the part of an address that lets a reader open the pictures of an entry without a token; "" when
// everybody may.
func (l ImageLinks) Query(r catalog.Entry, reader string) string {
	if r.Public() {
		return ""
	}
	return l.signer.query(r, reader)
}
