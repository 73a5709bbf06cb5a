package origin

import (
	"strings"
	"testing"

	"cairn/internal/foundation/fault"
)

const (
	someID  = "01900000-0000-7000-8000-00000000000a"
	otherID = "01900000-0000-7000-8000-00000000000b"

	hostForm   = "http://{kind}-{id}.localhost:8081"
	secureForm = "https://{kind}-{id}.run.example.org"
	pathForm   = "https://run.example.org/{kind}/{id}/"
)

func addressOf(t *testing.T, text string) AddressTemplate {
	t.Helper()
	parsed, err := ParseAddressTemplate(text, "127.0.0.1:8080")
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestAddressesOfBothForms(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		origin, origins string
		secure          bool
	}{
		hostForm:                                 {"http://s-" + someID + ".localhost:8081", "http://*.localhost:8081", false},
		hostForm + "/":                           {"http://s-" + someID + ".localhost:8081", "http://*.localhost:8081", false},
		secureForm:                               {"https://s-" + someID + ".run.example.org", "https://*.run.example.org", true},
		"https://{kind}-{id}.Run.Example.ORG":    {"https://s-" + someID + ".run.example.org", "https://*.run.example.org", true},
		"https://{kind}-{id}.example.org:443":    {"https://s-" + someID + ".example.org", "https://*.example.org", true},
		"http://{kind}-{id}.example.org:443":     {"http://s-" + someID + ".example.org:443", "http://*.example.org:443", false},
		pathForm:                                 {"https://run.example.org", "https://run.example.org", true},
		"https://run.example.org:80/{kind}/{id}": {"https://run.example.org:80", "https://run.example.org:80", true},
		"http://localhost:8081/{kind}/{id}/":     {"http://localhost:8081", "http://localhost:8081", false},
		"http://[::1]:8081/{kind}/{id}/":         {"http://[::1]:8081", "http://[::1]:8081", false},
	} {
		parsed := addressOf(t, text)
		if got := parsed.Origin(sessionKind, someID); got != want.origin {
			t.Errorf("%s: the origin is %s, want %s", text, got, want.origin)
		}
		if got := parsed.Origins(); got != want.origins || strings.ContainsAny(got, " ;,'") {
			t.Errorf("%s: the source expression is %q, want %q", text, got, want.origins)
		}
		if parsed.Secure() != want.secure {
			t.Errorf("%s: secure is %t", text, parsed.Secure())
		}
		host := strings.SplitN(want.origin, "://", 2)[1]
		if !parsed.matches(host, sessionKind, someID) || !parsed.matches(strings.ToUpper(host), sessionKind, someID) {
			t.Errorf("%s: its own host %s does not match", text, host)
		}
		if id, ok := parsed.sessionOf(host); ok != (host != strings.TrimPrefix(host, "s-")) || (ok && id != someID) {
			t.Errorf("%s: the host %s stands for %q, %t", text, host, id, ok)
		}
	}
}

// CVE-2026-111927, GHSA-7cc2-r658-7xpf: hosts compared by their beginning or end let foreign names pass.
func TestHostsAreComparedWhole(t *testing.T) {
	t.Parallel()
	own := "s-" + someID + ".localhost:8081"
	hosts := map[string][]string{
		hostForm: {
			"", "localhost:8081", "s-" + otherID + ".localhost:8081", "n-" + someID + ".localhost:8081", own + ".evil.example",
			"evil." + own, "evil" + own, own + "1", own + ":8081", "s-" + someID + ".localhost", "s-" + someID + ".localhost:80810",
			"s-" + someID + ".localhost.:8081", "s-" + someID + ".localhostx8081", "s-" + someID + "xlocalhost:8081",
			"s-" + someID + ".evil.example:8081", "s-" + someID + ".localhost:8081@evil.example", "x\n" + own, own + "\n",
			"s-" + someID + "-" + otherID + ".localhost:8081", "s-.localhost:8081", "127.0.0.1:8080",
		},
		pathForm: {"", "run.example.org:443x", "run.example.org.", "run.example.org.evil.example", "evil-run.example.org", "runxexample.org", "evil.run.example.org"},
	}
	for text, hostile := range hosts {
		for _, host := range hostile {
			if addressOf(t, text).matches(host, sessionKind, someID) {
				t.Errorf("%s: %q passes as the session's host", text, host)
			}
			if id, ok := addressOf(t, text).sessionOf(host); ok && id == someID {
				t.Errorf("%s: %q stands for the session", text, host)
			}
		}
	}
}

// Frames of notebooks have separate hosts, which aren't those of sessions.
func TestAddressesOfNotebookFrames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		hostForm: "http://n-" + someID + ".localhost:8081",
		pathForm: "https://run.example.org",
	} {
		parsed := addressOf(t, text)
		if got := parsed.FrameOrigin(someID); got != want {
			t.Errorf("%s: the frame is at %s, want %s", text, got, want)
		}
		host := strings.Split(want, "/")[2]
		if !parsed.HostsFrame(host, someID) || !parsed.HostsFrame(strings.ToUpper(host), someID) || parsed.HostsFrame(host+".evil.example", someID) {
			t.Errorf("%s: %s does not match, or more than it does", text, host)
		}
	}
	frame, session := "n-"+someID+".localhost:8081", "s-"+someID+".localhost:8081"
	template := addressOf(t, hostForm)
	if template.matches(frame, sessionKind, someID) || template.HostsFrame(session, someID) || template.HostsFrame(frame, otherID) {
		t.Error("the host of one kind passes as that of the other")
	}
	if _, ok := template.sessionOf(frame); ok {
		t.Error("the host of a frame stands for a session")
	}
}

func TestTemplatesThatAreNone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "localhost:8081", "ftp://{kind}-{id}.localhost", "http://localhost:8081", "http://localhost:8081/{kind}", "http://localhost/{id}/{kind}/",
		"http://localhost/x/{kind}/{id}/", "http://{id}.localhost", "http://{kind}.localhost", "http://{kind}-{id}", "http://{kind}-{id}.",
		"http://{kind}-{id}./", "http://{kind}-{id}.localhost/x", "http://{kind}-{id}.localhost/{kind}/{id}/", "http://x{kind}-{id}.localhost",
		"http://{kind}-{id}.{id}.localhost", "http://user@run.example.org/{kind}/{id}/", "http://{kind}-{id}.a b", "http://{kind}-{id}.a;script-src *",
		"http://{kind}-{id}.a?x", "http://{kind}-{id}.a#x", "http://{kind}-{id}.a'", "http://{kind}-{id}.a\nb", "http:///{kind}/{id}/",
		"http://{kind}-{id}.localhost:port", "http://{kind}-{id}.localhost.", "http://*.localhost/{kind}/{id}/", " http://{kind}-{id}.localhost",
	} {
		if _, err := ParseAddressTemplate(text, "127.0.0.1:8080"); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: got %v, want that it is refused", text, err)
		}
	}
}

// Cookies ignore ports: sessions on the page's host name would share cookies with it.
func TestPathFormNeedsAHostNameOfItsOwn(t *testing.T) {
	t.Parallel()
	for public, refused := range map[string]bool{
		"run.example.org": true, "RUN.example.org:8080": true, "run.example.org:443": true,
		"example.org": false, "run.example.org.evil.example": false, "127.0.0.1:8080": false,
	} {
		_, err := ParseAddressTemplate(pathForm, public)
		if (fault.KindOf(err) == fault.Invalid && strings.Contains(fault.MessageOf(err), "another host name")) != refused {
			t.Errorf("page at %s: got %v, want refused %t", public, err, refused)
		}
	}
	if _, err := ParseAddressTemplate(hostForm, "localhost:8080"); err != nil {
		t.Errorf("the default template beside a page at localhost: %v", err)
	}
}
