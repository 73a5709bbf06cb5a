package codehost_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"cairn/internal/entries/codehost"
	"cairn/internal/entries/codehost/githubtest"
	"cairn/internal/foundation/fault"
)

func retryAfter(err error) time.Duration {
	if found, ok := errors.AsType[*fault.Fault](err); ok {
		return found.RetryAfter
	}
	return 0
}

// When the limit is used up and nothing is cached, the answer says so and until when; the host isn't asked before.
func TestTheLimitOfTheHost(t *testing.T) {
	w := newWorld(t, "")
	w.put(map[string]string{"a.txt": ""})
	w.Limit(60, 0, w.now.Add(20*time.Minute))
	_, err := w.List(t.Context(), named, "")
	if want := "The code host's rate limit of 60 per hour may be exceeded."; fault.KindOf(err) != fault.Unavailable || fault.MessageOf(err) != want {
		t.Fatal(err)
	}
	if after := retryAfter(err); after < 20*time.Minute || after > 20*time.Minute+time.Second {
		t.Errorf("until %s", after)
	}
	w.questions()
	w.now = w.now.Add(19 * time.Minute)
	if _, err := w.List(t.Context(), named, ""); retryAfter(err) > 61*time.Second || w.questions() != nil {
		t.Errorf("asked too early: %v", err)
	}
	w.now = w.now.Add(2 * time.Minute)
	w.Limit(60, 60, w.now.Add(time.Hour))
	mustList(t, w, "")
}

// The last allowed question is answered, and the next isn't asked.
func TestTheLastQuestionOfTheLimit(t *testing.T) {
	w := newWorld(t, "")
	w.put(map[string]string{"a.txt": "", "b/c.txt": ""})
	w.Limit(60, 2, w.now.Add(time.Hour))
	mustList(t, w, "")
	w.questions()
	if _, err := w.List(t.Context(), named, "b"); fault.KindOf(err) != fault.Unavailable || retryAfter(err) == 0 || w.questions() != nil {
		t.Error(err)
	}
	if file, err := w.File(t.Context(), named, "a.txt", 10); err != nil || file.Stale {
		t.Errorf("the raw files have a limit of their own: %v", err)
	}
}

// Hosts don't report their limit for raw files: messages don't name a number that is our guess.
func TestTheLimitOfRawFilesHasNoNumber(t *testing.T) {
	w := newWorld(t, "")
	w.put(map[string]string{"a.txt": ""})
	w.Disturb(githubtest.Disturbance{Path: "/raw", Status: 429})
	_, err := w.File(t.Context(), named, "a.txt", 10)
	if want := "The code host's rate limit may be exceeded."; fault.KindOf(err) != fault.Unavailable || fault.MessageOf(err) != want {
		t.Error(err)
	}
	w.now = w.now.Add(time.Minute)
	w.Disturb(githubtest.Disturbance{Path: "/raw", Status: 429, Header: map[string]string{"X-RateLimit-Limit": "1000"}})
	_, err = w.File(t.Context(), named, "a.txt", 10)
	if want := "The code host's rate limit of 1000 per hour may be exceeded."; fault.MessageOf(err) != want {
		t.Error(err)
	}
}

func TestLimitsWithoutATime(t *testing.T) {
	for _, one := range []struct {
		disturbance githubtest.Disturbance
		want        time.Duration
	}{
		{githubtest.Disturbance{Status: 429, Header: map[string]string{"Retry-After": "90"}}, 90 * time.Second},
		{githubtest.Disturbance{Status: 403, Header: map[string]string{"Retry-After": "60"}}, time.Minute},
		{githubtest.Disturbance{Status: 403, Body: `{"message":"You have exceeded a secondary rate limit."}`}, 30 * time.Second},
		{githubtest.Disturbance{Status: 429, Header: map[string]string{"Retry-After": "never"}}, 30 * time.Second},
		{githubtest.Disturbance{Status: 403, Header: map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "99999999999999"}}, 30 * time.Second},
		{githubtest.Disturbance{Status: 403, Header: map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"}}, 30 * time.Second},
	} {
		w := newWorld(t, "")
		w.Disturb(one.disturbance)
		if _, err := w.List(t.Context(), named, ""); retryAfter(err) != one.want || fault.KindOf(err) != fault.Unavailable {
			t.Errorf("%+v: %s %v", one.disturbance, retryAfter(err), err)
		}
	}
}

// One caller can't use up everybody's share, and cached answers are free.
func TestNobodyTakesTheShareOfOthers(t *testing.T) {
	w := newWorld(t, "")
	files := map[string]string{}
	for i := range 70 {
		files[fmt.Sprintf("%02d/x", i)] = ""
	}
	w.put(files)
	greedy := codehost.AskedBy(t.Context(), "greedy")
	var err error
	asked := 0
	for ; err == nil && asked < 70; asked++ {
		_, err = w.List(greedy, named, fmt.Sprintf("%02d", asked))
	}
	if fault.KindOf(err) != fault.TooMany || retryAfter(err) > 3*time.Minute || retryAfter(err) == 0 || asked != 30 {
		t.Errorf("after %d folders: %v, again in %s", asked, err, retryAfter(err))
	}
	if _, err := w.List(greedy, named, "00"); err != nil {
		t.Errorf("what is kept: %v", err)
	}
	if _, err := w.List(codehost.AskedBy(t.Context(), "modest"), named, "60"); err != nil {
		t.Errorf("another caller: %v", err)
	}
	w.now = w.now.Add(6*time.Minute + time.Second)
	if listing, err := w.List(greedy, named, "01"); err != nil || listing.Stale {
		t.Errorf("after a while: %+v %v", listing.Age, err)
	}
	if listing, err := w.List(greedy, named, "02"); err != nil || !listing.Stale {
		t.Errorf("an old answer beyond the share: %+v %v", listing.Age, err)
	}
}

// The token goes only to the host, not to where it redirects, and into no log or message.
func TestTheTokenStaysSecret(t *testing.T) {
	w := newWorld(t, githubtest.Token)
	other := githubtest.Start(t)
	w.put(map[string]string{"a.txt": ""})
	mustList(t, w, "")
	for _, one := range w.Requests() {
		if one.Authorization != "Bearer "+githubtest.Token {
			t.Errorf("%+v", one)
		}
	}
	w.now = w.now.Add(time.Hour)
	w.Disturb(githubtest.Disturbance{Status: 302, Header: map[string]string{"Location": other.URL + "/api/repos/owner/name"}})
	_, _ = w.List(t.Context(), named, "x")
	came := other.Requests()
	for _, one := range came {
		if one.Authorization != "" {
			t.Errorf("another host got %+v", one)
		}
	}
	if len(came) == 0 {
		t.Error("the redirect was not followed")
	}
	w.options.Token = "a-bad-secret"
	w.GitHub = codehost.NewGitHub(w.options)
	w.Disturb()
	w.now = w.now.Add(30 * 24 * time.Hour)
	_, err := w.List(t.Context(), named, "")
	if want := "GitHub doesn't accept this server's token. Tell the operators."; fault.KindOf(err) != fault.BadUpstream || fault.MessageOf(err) != want {
		t.Error(err)
	}
	if log := w.log.String(); !strings.Contains(log, "does not accept") || strings.Contains(log, "a-bad-secret") || strings.Contains(log, githubtest.Token) {
		t.Error(log)
	}
}
