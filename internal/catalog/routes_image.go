package catalog

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"cairn/internal/fault"
	"cairn/internal/httpapi"
	"cairn/internal/raster"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
)

type headerImageInput struct {
	ID        string `path:"id"`
	Expires   int64  `query:"expires" doc:"Part of the signature"`
	Signature string `query:"signature" doc:"Lets an <img> show the picture of a private entry; see headerImageUrl"`
}

func (s *Service) imageRoutes(api *httpapi.API) {
	content := map[string]*huma.MediaType{}
	for _, kind := range raster.Kinds() {
		content[kind.MIME] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}
	}
	httpapi.Register(api, httpapi.Public, huma.Operation{
		OperationID: "get-header-image", Method: http.MethodGet, Path: "/resources/public/{id}/header-image", Tags: []string{"Catalog"},
		Summary: "The header image of an entry",
		Description: "Fetched and kept by the server: PNG, JPEG, GIF or WebP, 5 MB at most. Anything else at its address, " +
			"an address in a private network, and a source that does not answer are 404.",
		Responses: map[string]*huma.Response{"200": {Description: "OK", Content: content}},
	}, s.handleHeaderImage)
}

func (s *Service) handleHeaderImage(ctx context.Context, input *headerImageInput) (*huma.StreamResponse, error) {
	resource, err := s.Get(ctx, input.ID)
	if input.Signature != "" && fault.KindOf(err) == fault.NotFound {
		resource, err = s.signedFor(ctx, input, err)
	}
	if err != nil {
		return nil, err
	}
	image, err := s.images.open(ctx, resource)
	if err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		defer image.File.Close()
		request, writer := humachi.Unwrap(ctx)
		header := writer.Header()
		header.Set("Content-Type", image.MIME)
		header.Set("ETag", image.Tag)
		header.Set("Cache-Control", "public, max-age=3600")
		if resource.Privacy != PrivacyPublic {
			header.Set("Cache-Control", fmt.Sprintf("private, max-age=%d", int(imageSignatureStep.Seconds())))
		}
		// Whatever a file pretends to be, it is shown as a picture, on our own pages, and runs nothing.
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Content-Security-Policy", "default-src 'none'; sandbox")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Content-Disposition", "inline")
		if httpapi.MatchesTag(request.Header.Get("If-None-Match"), image.Tag) {
			header.Del("Content-Type")
			writer.WriteHeader(http.StatusNotModified)
			return
		}
		header.Set("Content-Length", strconv.FormatInt(image.Size, 10))
		_, _ = io.Copy(writer, image.File)
	}}, nil
}

// signedFor gives the entry that a signature opens to its holder; otherwise the fault that those without one get.
func (s *Service) signedFor(ctx context.Context, input *headerImageInput, otherwise error) (Resource, error) {
	found, err := s.store.Load(ctx, []string{input.ID})
	if err != nil {
		return Resource{}, err
	}
	if len(found) == 0 || s.images == nil {
		return Resource{}, otherwise
	}
	signer := s.images.signer
	if _, good := signer.madeFor(found[0], input.Expires, input.Signature); !good || signer.ended(input.Expires) {
		return Resource{}, otherwise
	}
	return found[0], nil
}

// addHeaderImages tells where a caller who sees these entries finds their pictures.
func (s *Service) addHeaderImages(resources []Resource, email string) {
	for i := range resources {
		r := &resources[i]
		if s.images == nil || !hasHeaderImage(*r) {
			continue
		}
		r.HeaderImageURL = httpapi.Base + "/resources/public/" + r.ID + "/header-image"
		if r.Privacy != PrivacyPublic {
			expires, signature := s.images.signer.sign(*r, email)
			r.HeaderImageURL += fmt.Sprintf("?expires=%d&signature=%s", expires, signature)
		}
	}
}
