package fair

import (
	"context"
	"encoding/xml"
	"time"

	"cairn/internal/entries/catalog"
)

// feedEntries is how many entries the feed has: those that appeared or changed last.
const feedEntries = 50

// The feed in Atom (RFC 4287).
type (
	atomFeed struct {
		XMLName  xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
		ID       string      `xml:"id"`
		Title    string      `xml:"title"`
		Subtitle string      `xml:"subtitle,omitempty"`
		Updated  string      `xml:"updated"`
		Links    []atomLink  `xml:"link"`
		Author   atomPerson  `xml:"author"`
		Entries  []atomEntry `xml:"entry"`
	}
	atomEntry struct {
		ID         string         `xml:"id"`
		Title      string         `xml:"title"`
		Updated    string         `xml:"updated"`
		Published  string         `xml:"published"`
		Links      []atomLink     `xml:"link"`
		Authors    []atomPerson   `xml:"author"`
		Categories []atomCategory `xml:"category"`
		Summary    string         `xml:"summary"`
		Rights     string         `xml:"rights,omitempty"`
	}
	atomLink struct {
		Relation string `xml:"rel,attr"`
		Type     string `xml:"type,attr,omitempty"`
		Href     string `xml:"href,attr"`
	}
	atomPerson struct {
		Name string `xml:"name"`
		URI  string `xml:"uri,omitempty"`
	}
	atomCategory struct {
		Term string `xml:"term,attr"`
	}
)

// feed returns the public entries that appeared or changed last.
func (s *Service) feed(ctx context.Context) (atomFeed, error) {
	site, now := s.options.Site(), s.options.Now()
	feed := atomFeed{
		ID: site.Public + "/feed.atom", Title: site.Product, Subtitle: site.Tagline, Author: atomPerson{Name: site.Publisher.Name},
		Links: []atomLink{{"self", "application/atom+xml", site.Public + "/feed.atom"}, {"alternate", "text/html", site.Public + "/resources"}},
	}
	latest, err := s.options.Appearances.LatestAppearances(ctx, feedEntries)
	if err != nil {
		return feed, err
	}
	ids := make([]string, len(latest))
	stamps := map[string]time.Time{}
	for i, one := range latest {
		ids[i], stamps[one.ID] = one.ID, one.Stamp
	}
	entries, err := s.options.Entries.LoadAny(ctx, ids)
	if err != nil {
		return feed, err
	}
	updated := time.Unix(0, 0)
	for _, entry := range entries {
		if !entry.Public() {
			continue
		}
		record := recordOf(entry, site, now)
		one := atomEntry{
			ID: record.Permanent, Title: record.Name, Updated: formatTime(stamps[entry.ID]), Published: formatTime(record.Published), Summary: catalog.WithoutMail(entry.Summary(catalog.NameLimit)),
			Links: []atomLink{{"alternate", "text/html", record.Address}}, Rights: record.License.Expression,
		}
		if stamps[entry.ID].After(updated) {
			updated = stamps[entry.ID]
		}
		for _, person := range record.People {
			author := atomPerson{Name: person.Name}
			if person.ORCID != "" {
				author.URI = orcidResolver + person.ORCID
			}
			one.Authors = append(one.Authors, author)
		}
		for _, word := range record.Keywords {
			one.Categories = append(one.Categories, atomCategory{word})
		}
		feed.Entries = append(feed.Entries, one)
	}
	feed.Updated = formatTime(updated)
	return feed, nil
}
