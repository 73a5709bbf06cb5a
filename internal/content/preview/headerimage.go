package preview

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"cairn/internal/content/raster"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/safehttp"
)

// HeaderImages serves the pictures that entries name by web addresses: the header image and those in their texts.
type HeaderImages struct {
	entries Entries
	hosts   *codehost.Hosts
	links   ImageLinks
	files   *webFiles
}

// HeaderImageOptions configure HeaderImages.
type HeaderImageOptions struct {
	Client  *safehttp.Client
	Hosts   *codehost.Hosts // for the pictures in repositories
	Folder  string          // for the pictures; anything else in it is removed
	Timeout time.Duration   // of a fetch; 0: 10 s
	Now     func() time.Time
	Logger  *slog.Logger
}

// Limits of pictures.
const (
	imageBytes     = 5 << 20
	imageTime      = 10 * time.Second
	imageFresh     = time.Hour          // after this the source is asked again, while the old picture is shown
	imageStale     = 7 * 24 * time.Hour // after this the picture is no longer shown
	imageRetry     = 2 * time.Minute    // after a failure
	imageCacheSize = 500_000_000        // bytes on disk
)

// A picture of a private entry is requested by an <img>, with a signature. Lists contain many of these addresses and
// keep their ETag.
const (
	imageSignatureStep = 15 * time.Minute
	imageSignatureLife = 2 * imageSignatureStep
)

// PrivatePicture is the Cache-Control of a picture of a private entry.
var PrivatePicture = fmt.Sprintf("private, max-age=%d", int(imageSignatureStep.Seconds()))

// ImageSecret is the name of the secret with which ImageLinks sign.
const ImageSecret = "header-image-key"

// NewImageLinks returns the links of header images, signed with the secret that all servers on one database share.
func NewImageLinks(secret []byte, now func() time.Time) ImageLinks {
	return ImageLinks{signer{key: secret, purpose: "header-image", now: now, step: imageSignatureStep, life: imageSignatureLife}}
}

// NewHeaderImages opens the cache.
func NewHeaderImages(ctx context.Context, entries Entries, links ImageLinks, options HeaderImageOptions) (*HeaderImages, error) {
	if options.Timeout == 0 {
		options.Timeout = imageTime
	}
	files, err := openWebFiles(ctx, webFileOptions{
		Client: options.Client, Folder: options.Folder, Now: options.Now, Logger: options.Logger,
		Accept: "image/webp, image/png, image/jpeg, image/gif", MaxBytes: imageBytes, Room: imageCacheSize, Timeout: options.Timeout,
		Fresh: imageFresh, Stale: imageStale, Retry: imageRetry, RetryOld: imageRetry,
		Check: func(response *safehttp.Response, content []byte, _ fileInfo) (fileInfo, error) {
			if err := response.MustBeOK(); err != nil {
				return fileInfo{}, err
			}
			format, err := raster.Check(content)
			if err != nil {
				err = fault.Wrap(err, fault.Invalid, "The file at its address %s", fault.MessageOf(err))
			}
			return fileInfo{Format: format}, err
		},
	})
	if err != nil {
		return nil, err
	}
	return &HeaderImages{entries: entries, hosts: options.Hosts, links: links, files: files}, nil
}

// Close ends the fetches under way and waits for them.
func (h *HeaderImages) Close() error {
	h.files.close()
	return nil
}

// HasHeaderImage reports whether an entry names a picture; others have the name of a placeholder, or nothing.
func HasHeaderImage(r catalog.Entry) bool {
	begin := strings.ToLower(r.HeaderImage[:min(len(r.HeaderImage), len("https://"))])
	return strings.HasPrefix(begin, "http://") || begin == "https://"
}

// Content returns the picture at a web address, checked by package raster; a fault of its source when it can't be shown.
func (h *HeaderImages) Content(ctx context.Context, address string) ([]byte, error) {
	file, err := h.files.open(ctx, address)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.NewSectionReader(file, 0, file.Size()))
	return content, errors.Join(err, file.Close())
}

// HeaderImage is a picture as it is served.
type HeaderImage struct {
	File io.ReadCloser // to be closed by the caller
	Size int64         // in bytes
	MIME string
	Tag  string // changes with the content
}

// open returns the picture of an entry that the caller may see; NotFound when there is none that can be shown.
func (h *HeaderImages) open(ctx context.Context, r catalog.Entry) (*HeaderImage, error) {
	if !HasHeaderImage(r) {
		return nil, fault.New(fault.NotFound, "This entry has no header image.")
	}
	image, err := h.fromWeb(ctx, r.HeaderImage)
	return image, notShown(ctx, err, "The header image of this entry cannot be shown.")
}

func (h *HeaderImages) fromWeb(ctx context.Context, address string) (*HeaderImage, error) {
	image, err := h.files.open(ctx, address)
	if err != nil {
		return nil, err
	}
	return &HeaderImage{File: image, Size: image.Size(), MIME: raster.Kinds()[image.About.Format].MIME, Tag: `"` + image.Digest + `"`}, nil
}

// notShown returns why a picture can't be shown, or nil: problems of other servers aren't failures of this one.
func notShown(ctx context.Context, err error, sentence string) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case fault.KindOf(err) == fault.Internal:
		return fault.Wrap(err, fault.Internal, "%s This server can't store it. Tell the operators.", sentence)
	default:
		return fault.Wrap(err, fault.NotFound, "%s %s", sentence, fault.MessageOf(err))
	}
}
