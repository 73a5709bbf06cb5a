package notebook

import (
	"bytes"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
)

// markdown makes Markdown into HTML.
type markdown struct {
	goldmark goldmark.Markdown
	policy   *bluemonday.Policy
}

func newMarkdown() *markdown {
	return &markdown{
		goldmark: goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote), goldmark.WithRendererOptions(html.WithUnsafe())),
		policy:   bluemonday.StrictPolicy().AllowElements("p", "h1", "h2", "h3", "h4", "h5", "h6", "em", "strong", "code", "pre", "ul", "ol", "li", "blockquote"),
	}
}

func (p *page) writeMarkdown(source string) {
	var made bytes.Buffer
	if err := p.renderer.markdown.goldmark.Convert([]byte(source), &made); err != nil {
		p.writeNote("This text cannot be shown.")
		return
	}
	p.out.Write(p.renderer.markdown.policy.SanitizeBytes(made.Bytes()))
}
