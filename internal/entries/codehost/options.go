package codehost

import (
	"cmp"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"cairn/internal/foundation/safehttp"
)

// Options configure a host.
type Options struct {
	Name    string // what people call it, for messages; "" is a usual one
	URL     string // of its pages; "" is the public one, such as https://github.com
	APIURL  string // "" derives it from URL
	RawURL  string // of GitHub's raw files; likewise
	Token   string // for a higher limit; it makes nothing private visible, unless it is an account's
	Account string // whose token it is, who alone is shown what is read; "": this server's, for everybody
	Refused func() // is called when the host doesn't take the account's token; optional
	Client  *safehttp.Client
	Cache   *Cache
	Timeout time.Duration // per question; 0: 8 s
	Now     func() time.Time
	Logger  *slog.Logger
	Counter Counter // optional; nil disables metrics
}

// Counter counts the requests to code hosts, by the host names of their services.
type Counter interface {
	// Asked is called for each question with its outcome: ok, unchanged, missing, limited, refused or unreachable.
	Asked(host, outcome string)
	// Remaining is called with how many questions the host said it still answers.
	Remaining(host string, questions int)
}

// nameOr returns the name of the host: that of the public one if it is at this address, else the host of its address.
func (o Options) nameOr(public, name string) string {
	if parsed, err := url.Parse(o.URL); err == nil && o.URL != public {
		name = hostOf(parsed)
	}
	return cmp.Or(o.Name, name)
}

// at completes the options of a host whose API is below its pages.
func (o *Options) at(public, name, api string) {
	o.URL = strings.TrimSuffix(cmp.Or(o.URL, public), "/")
	o.APIURL = strings.TrimSuffix(cmp.Or(o.APIURL, o.URL+api), "/")
	o.Name = o.nameOr(public, name)
}

// services return an API, and the files that it sends, of a host that may refuse what it doesn't show.
func (o Options) services(perHour int) (api, files *source) {
	api, files = o.service(o.APIURL, nil, perHour), o.service(o.APIURL, nil, perHour)
	api.hides, files.hides = true, true
	api.budget.guessed = true
	files.budget = api.budget
	api.isJSON = true
	return api, files
}

// service returns a service of the host that answers so many questions an hour until it says otherwise. The token goes with each question.
func (o Options) service(base string, header http.Header, perHour int) *source {
	header = maps.Clone(header)
	if header == nil {
		header = http.Header{}
	}
	if o.Token != "" {
		header.Set("Authorization", "Bearer "+o.Token)
	}
	return &source{
		base: base, name: o.Name, header: header, budget: newBudget(perHour), client: o.Client, cache: o.Cache,
		timeout: cmp.Or(o.Timeout, askTime), now: o.Now, logger: o.Logger, isToken: o.Token != "", counter: o.Counter,
		account: o.Account, refused: o.Refused, hides: o.Account != "",
	}
}
