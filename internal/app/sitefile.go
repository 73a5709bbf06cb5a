package app

import (
	"context"
	"net/http"
	"os"
	"strings"

	"cairn/internal/foundation/fault"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/site/page"
	"cairn/web"
)

// reloadSite reads the site file again on each signal until ctx ends. If the file has faults, they are logged and the
// old content stays.
func (p *program) reloadSite(ctx context.Context, signals <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-signals:
		}
		if err := p.site.Reload(); err != nil {
			p.logger.ErrorContext(ctx, "the site file wasn't loaded: the previous content stays", "faults", fault.MessageOf(err))
		} else {
			p.logger.InfoContext(ctx, "the site file was reloaded", "site", p.config.Site)
		}
	}
}

// publisher returns the name of who publishes the entries, for citations.
func (p *program) publisher() string { return p.site.Current().PublishedBy().Name }

// product returns the product's name.
func (p *program) product() string { return p.site.Current().Brand.Name }

// frame returns what the pages that the server writes have around their content.
func (p *program) frame() httpapi.Frame {
	content := p.site.Current()
	frame := httpapi.Frame{Product: content.Brand.Name, Tagline: content.Brand.Tagline, Text: content.Footer.Text}
	for _, column := range content.Footer.Columns {
		shown := httpapi.FrameColumn{Title: column.Title}
		for _, link := range column.Links {
			shown.Links = append(shown.Links, httpapi.FrameLink{Text: link.Text, Href: link.Href})
		}
		frame.Columns = append(frame.Columns, shown)
	}
	return frame
}

// mark returns the picture that stands for the product on pages written by the server: the institution's own, or the
// stones. These pages serve it from their own origin, as their policies require.
func (p *program) mark() (kind string, content []byte) {
	if kind, content, ok := p.site.Current().Mark(); ok {
		return kind, content
	}
	return "image/svg+xml", []byte(web.Mark())
}

// serveCalendars serves the calendar files of events at /events/SLUG.ics, and passes everything else to the page.
func (p *program) serveCalendars(files *page.Server) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		slug, isCalendar := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/events/"), ".ics")
		if !isCalendar {
			files.ServeHTTP(w, r)
			return
		}
		files.SetSecurity(w.Header())
		text, ok := p.site.Current().Calendar(slug, p.publicURL)
		if !ok {
			http.Error(w, "This event doesn't exist.", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Disposition", `attachment; filename="`+slug+`.ics"`)
		httpapi.WriteText(w, r, http.StatusOK, "text/calendar; charset=utf-8", text)
	})
}
