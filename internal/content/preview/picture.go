package preview

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"html"
	"io"
	"strings"

	"cairn/internal/content/raster"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/fault"
)

// picture returns a picture that belongs to the texts of an entry: a file of its repository, or what is at a web address
// that the text names. The text is that file, or the description when file is "". Only addresses that somebody wrote into
// the entry or its repository are fetched, so nobody can make this server visit others.
func (h *HeaderImages) picture(ctx context.Context, resource catalog.Entry, file, address string) (*HeaderImage, error) {
	text := resource.Description
	if file != "" {
		found, err := h.repositoryFile(ctx, resource, file)
		if err != nil {
			return nil, err
		}
		if address == "" {
			return pictureOf(found.Content)
		}
		text = string(found.Content[:min(len(found.Content), previewBytes)])
	}
	if !names(text, address) {
		return nil, fault.New(fault.NotFound, "The text doesn't contain its address.")
	}
	return h.fromWeb(ctx, address)
}

// pictureBeside returns a picture that is in the repository of an entry's notebooks: that of a repository, or the one on GitHub
// that a notebook is in.
func (n *Notebooks) pictureBeside(ctx context.Context, resource catalog.Entry, file string) (*HeaderImage, error) {
	if resource.Type == catalog.Repository {
		return n.options.Pictures.picture(ctx, resource, file, "")
	}
	source, err := n.sourceOf(resource.NotebookPath)
	if err != nil {
		return nil, err
	}
	address, err := source.beside.file(file)
	if err != nil {
		return nil, err
	}
	return n.options.Pictures.fromWeb(ctx, address)
}

func (h *HeaderImages) repositoryFile(ctx context.Context, resource catalog.Entry, path string) (codehost.File, error) {
	repository, err := repositoryOf(resource, h.hosts)
	if err != nil {
		return codehost.File{}, err
	}
	return h.hosts.File(ctx, repository, path, imageBytes)
}

// names reports whether a text names an address, as it is or with the characters that Markdown writes as references.
func names(text, address string) bool {
	return address != "" && (strings.Contains(text, address) || strings.Contains(html.UnescapeString(text), address))
}

func pictureOf(content []byte) (*HeaderImage, error) {
	format, err := raster.Check(content)
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The file %s", fault.MessageOf(err))
	}
	sum := sha256.Sum256(content)
	return &HeaderImage{
		File: io.NopCloser(bytes.NewReader(content)), Size: int64(len(content)), MIME: raster.Kinds()[format].MIME,
		Tag: `"` + hex.EncodeToString(sum[:]) + `"`,
	}, nil
}
