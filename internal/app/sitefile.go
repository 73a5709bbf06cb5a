package app

import (
	"context"
	"net/http"
	"os"
	"strings"

	"cairn/internal/page"
	"cairn/internal/site"
	"cairn/web"
)

// SiteFile gives the built-in site file, for operators to change.
func SiteFile() []byte { return site.Default() }

// rereadSite reads the site file again at each signal until ctx ends. What is wrong with a file is logged, and the
// former content stays.
func (p *program) rereadSite(ctx context.Context, signals <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-signals:
		}
		if err := p.site.Reload(); err != nil {
			p.logger.ErrorContext(ctx, "the site file was not taken: its former content stays", "faults", messageOf(err))
		} else {
			p.logger.InfoContext(ctx, "the site file was read again", "site", p.config.Site)
		}
	}
}

// mark is the picture that stands for the product on pages that the server writes by itself: the institution's own, or
// the stones. They serve it from their own origin, which their policies allow.
func (p *program) mark() (kind string, content []byte) {
	if kind, content, ok := p.site.Current().Mark(); ok {
		return kind, content
	}
	return "image/svg+xml", []byte(web.Mark())
}

// serveCalendars serves the calendar files of the events at /events/SLUG.ics, and leaves all else to the page.
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
			http.Error(w, "There is no such event.", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Disposition", `attachment; filename="`+slug+`.ics"`)
		page.WriteText(w, r, http.StatusOK, "text/calendar; charset=utf-8", text)
	})
}
