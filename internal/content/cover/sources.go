package cover

import (
	"bytes"
	"context"
	"image"
	"path"
	"regexp"
	"slices"
	"strings"

	"cairn/internal/content/dataset"
	"cairn/internal/content/notebook"
	"cairn/internal/content/preview"
	"cairn/internal/content/raster"
	"cairn/internal/entries/catalog"
	"cairn/internal/entries/codehost"
	"cairn/internal/foundation/fault"
)

// source is what a cover is made from: a picture, the values of a column, the languages of a repository, or nothing, and
// then it is a drawing.
type source struct {
	picture []byte      // as its source has it; checked by package raster
	decoded image.Image // set by decode
	photo   bool        // it may be cut, because it was chosen to head the page; figures are shown whole
	lines   [][]dataset.Point

	languages []codehost.Language
}

// hasSource reports whether there may be something to make the cover of an entry from.
func hasSource(r catalog.Entry, hosts *codehost.Hosts) bool {
	switch {
	case preview.HasHeaderImage(r), r.Type == catalog.Notebook:
		return true
	case r.Type == catalog.Dataset:
		return catalog.DataAddress(r.DatasetURL) == ""
	case r.Type == catalog.Repository:
		repository, err := codehost.Parse(r.RepositoryURL)
		return err == nil && hosts.Knows(repository)
	default:
		return false
	}
}

// find returns what the cover of an entry is made from; an error when that can't be read now.
func (c *Covers) find(ctx context.Context, r catalog.Entry) (found source, err error) {
	switch {
	case preview.HasHeaderImage(r):
		found.photo = true
		found.picture, err = c.options.Images.Content(ctx, r.HeaderImage)
		if err == nil && !paintable(found.picture) {
			return source{}, nil
		}
	case r.Type == catalog.Notebook:
		var content []byte
		if content, err = c.options.Notebooks.Source(ctx, r.NotebookPath); err == nil {
			found.picture = notebook.FirstPicture(content, paintable)
		}
	case r.Type == catalog.Dataset:
		found.lines, err = c.firstColumn(ctx, r.DatasetURL)
	case r.Type == catalog.Repository && hasSource(r, c.options.Hosts):
		found, err = c.ofRepository(ctx, r.RepositoryURL)
	}
	if err != nil {
		return source{}, err
	}
	return found, nil
}

const (
	mostPixels = 24_000_000 // of a picture that is decoded
	leastSide  = 100        // of a picture that isn't a badge or an icon
)

// paintable reports whether a picture of a source can be made into a cover.
func paintable(content []byte) bool {
	if _, err := raster.Check(content); err != nil {
		return false
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(content))
	return err == nil && config.Width*config.Height <= mostPixels
}

// foldersSearched is how many folders of a dataset are searched for a table.
const foldersSearched = 20

// firstColumn returns the values of the first column of numbers in the first table of a dataset.
func (c *Covers) firstColumn(ctx context.Context, address string) ([][]dataset.Point, error) {
	if catalog.DataAddress(address) != "" {
		return nil, nil
	}
	tree, err := c.options.Datasets.OpenDataset(address)
	if err != nil { // it may be there later
		return nil, err
	}
	defer tree.Close()
	folders := []string{""}
	for i := 0; i < len(folders) && i < foldersSearched; i++ {
		listing, err := tree.List(folders[i])
		if err != nil {
			return nil, err
		}
		for _, entry := range listing.Entries {
			switch {
			case entry.Type == dataset.TypeFolder:
				folders = append(folders, entry.Path)
			case entry.Preview == dataset.PreviewTable:
				if lines := firstLines(ctx, tree, entry.Path); lines != nil {
					return lines, nil
				}
			}
		}
	}
	return nil, nil
}

// firstLines returns the values that the page plots of a table; nil if that isn't a line.
func firstLines(ctx context.Context, tree *dataset.Tree, file string) [][]dataset.Point {
	table, err := tree.Table(ctx, file, "")
	if err != nil || table.Plotted == nil {
		return nil
	}
	lines := table.Columns[*table.Plotted].Numbers.Lines
	if !slices.ContainsFunc(lines, func(line []dataset.Point) bool { return len(line) > 1 }) {
		return nil
	}
	return lines
}

// readmeFile is the file whose pictures are looked at. Asking for others would cost one question to the host each.
const (
	readmeFile    = "README.md"
	picturesTried = 4
	pictureBytes  = 5_000_000
)

// ofRepository returns the first picture of a repository's README, else its languages.
func (c *Covers) ofRepository(ctx context.Context, address string) (found source, err error) {
	repository, err := codehost.Parse(address)
	if err != nil {
		return source{}, err
	}
	if found.picture, err = c.ofReadme(ctx, repository); err == nil && found.picture == nil {
		found.languages, err = c.options.Hosts.Languages(ctx, repository)
		if absent(err) {
			err = nil
		}
	}
	return found, err
}

// ofReadme returns the first picture of a repository's README that isn't a badge; nil if there is none.
func (c *Covers) ofReadme(ctx context.Context, repository codehost.Repository) ([]byte, error) {
	file, err := c.options.Hosts.File(ctx, repository, readmeFile, readingSize)
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var failed error
	for _, place := range picturesIn(string(file.Content)) {
		var content []byte
		if strings.HasPrefix(place, "https://") {
			content, err = c.options.Images.Content(ctx, place)
		} else {
			var inside codehost.File
			inside, err = c.options.Hosts.File(ctx, repository, place, pictureBytes)
			content = inside.Content
		}
		if err == nil && paintable(content) && isFigure(content) {
			return content, nil
		}
		if err != nil && !absent(err) {
			failed = err
		}
	}
	return nil, failed
}

// absent reports whether a source has nothing to show, whoever asks it again.
func absent(err error) bool {
	switch fault.KindOf(err) {
	case fault.NotFound, fault.Invalid, fault.TooLarge:
		return err != nil
	default:
		return false
	}
}

func isFigure(content []byte) bool {
	config, _, err := image.DecodeConfig(bytes.NewReader(content))
	return err == nil && config.Width >= leastSide && config.Height >= leastSide && config.Width <= 6*config.Height
}

var pictureInMarkdown = regexp.MustCompile(`!\[[^\]\n]*\]\(\s*<?([^)>\s]+)|(?i:<img\s[^>]*?src\s*=\s*["']([^"'\s]+))`)

// picturesIn returns where the first pictures of a Markdown text are: https addresses, and paths in the repository.
// Drawings are left out: they could not be shown.
func picturesIn(markdown string) []string {
	places := []string{}
	for _, match := range pictureInMarkdown.FindAllStringSubmatch(markdown, -1) {
		place := match[1] + match[2]
		if strings.HasPrefix(place, "https://") {
			if !strings.HasSuffix(strings.ToLower(place), ".svg") {
				places = append(places, place)
			}
		} else if inside := strings.TrimPrefix(path.Clean("/"+place), "/"); !strings.Contains(place, ":") {
			switch strings.ToLower(path.Ext(inside)) {
			case ".png", ".jpg", ".jpeg", ".gif", ".webp":
				places = append(places, inside)
			}
		}
		if len(places) == picturesTried {
			break
		}
	}
	return places
}
