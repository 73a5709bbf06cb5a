package cover

import (
	"context"
	"net/http"
	"strconv"

	"cairn/internal/content/preview"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/diskcache"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
)

type coverInput struct {
	ID        string `path:"id"`
	Version   string `query:"v" doc:"As in coverUrl; with the current one, the answer may be cached forever"`
	Social    string `query:"og" enum:"1" doc:"The picture for links in chats: PNG, 1200 by 630, of public entries only"`
	Expires   int64  `query:"expires" doc:"Part of the signature"`
	Signature string `query:"signature" doc:"Lets an <img> show the cover of a private entry; see coverUrl"`
}

// Routes registers the operation of covers.
func (c *Covers) Routes(api *httpapi.API) {
	content := map[string]*huma.MediaType{}
	for _, kind := range []string{pngMIME, jpegMIME, webpMIME, drawingMIME} {
		content[kind] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	}
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "get-cover", Method: http.MethodGet, Path: "/resources/public/{id}/cover", Tags: []string{"Catalog"},
		Summary: "The cover of an entry",
		Description: "A picture of at most 60 KiB for each entry: its header image, the first plot of its notebook, the first column of " +
			"numbers of its dataset, the first picture of its README or else the languages of its repository, or a drawing.",
		Responses: map[string]*huma.Response{"200": {Description: "OK", Content: content}},
	}, c.handle)
}

func (c *Covers) handle(ctx context.Context, input *coverInput) (*huma.StreamResponse, error) {
	resource, err := c.options.Images.Entry(ctx, input.ID, input.Expires, input.Signature)
	if err != nil {
		return nil, err
	}
	social := input.Social != ""
	if social && !resource.Public() {
		return nil, fault.New(fault.NotFound, "Only public entries have a picture for links.")
	}
	cover := c.open(ctx, resource, social)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		request, writer := humachi.Unwrap(ctx)
		header := writer.Header()
		tag := `"` + diskcache.DigestOf(cover.Content) + `"`
		header.Set("Content-Type", cover.MIME)
		header.Set("ETag", tag)
		switch {
		case !resource.Public():
			header.Set("Cache-Control", preview.PrivatePicture)
		case cover.Lasting && input.Version == version(resource):
			header.Set("Cache-Control", "public, max-age=31536000, immutable")
		default:
			header.Set("Cache-Control", "public, max-age=60")
		}
		// Drawings are SVG, and foreign pictures may pretend to be anything: opened alone, they run and load nothing.
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Content-Security-Policy", "default-src 'none'; sandbox")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Content-Disposition", "inline")
		if httpapi.MatchesTag(request.Header.Get("If-None-Match"), tag) {
			header.Del("Content-Type")
			writer.WriteHeader(http.StatusNotModified)
			return
		}
		header.Set("Content-Length", strconv.Itoa(len(cover.Content)))
		_, _ = writer.Write(cover.Content)
	}}, nil
}

// Link adds an entry's coverUrl and coverKind. A cover is made when it is asked for, so lists cost nothing.
func Link(signed preview.ImageLinks, cache *Cache, hosts *codehost.Hosts) catalog.Link {
	return catalog.Link{Add: func(r *catalog.Resource, reader catalog.Reader) {
		entry := *r.Entry()
		if entry.ForHost() { // whose pictures a signature would show for longer than the code host is asked
			r.CoverKind = catalog.CoverDrawing
			return
		}
		r.CoverKind = cache.kindOf(entry, hosts)
		r.CoverURL = httpapi.Base + "/resources/public/" + r.ID + "/cover?v=" + version(entry)
		if query := signed.Query(entry, reader.Email); query != "" {
			r.CoverURL += "&" + query
		}
	}}
}
