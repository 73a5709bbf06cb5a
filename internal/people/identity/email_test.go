package identity_test

import (
	"context"
	"net/http"
	"testing"

	"cairn/internal/foundation/fault"
	"cairn/internal/people/identity"
)

func TestEmailCountsOnlyWhenVerified(t *testing.T) {
	t.Parallel()
	key := rsaSigner(t, "key")
	p := newProvider(t, key)
	byClaim := newWorld(t, p)
	trusting := newWorld(t, p, func(o *identity.VerifierOptions) { o.TrustEmail = true })
	cases := []struct {
		name           string
		email          any
		verified       any
		want, ifTrusts string
	}{
		{"verified", "Ada@Example.org ", true, "ada@example.org", "ada@example.org"},
		{"verified, written as text", "ada@example.org", "true", "ada@example.org", "ada@example.org"},
		{"not verified", "ada@example.org", false, "", "ada@example.org"},
		{"false as text", "ada@example.org", "false", "", "ada@example.org"},
		{"a number", "ada@example.org", 1, "", "ada@example.org"},
		{"no word about it", "ada@example.org", nil, "", "ada@example.org"},
		{"no e-mail", nil, true, "", ""},
		{"no address", "ada", true, "", ""},
		{"zero byte", "ada\x00@example.org", true, "", ""},
		{"two addresses", "ada@example.org,bob@example.org", true, "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for world, want := range map[*world]string{byClaim: c.want, trusting: c.ifTrusts} {
				token := key.sign(t, world.claims("sub", c.name, "email", c.email, "email_verified", c.verified))
				if caller := world.expectGood(token); caller.Email != want {
					t.Errorf("trust %v: e-mail %q, want %q", world == trusting, caller.Email, want)
				}
			}
		})
	}
}

// One of a person's clients may ask for less than the others: its tokens carry no right, and take none away.
func TestATokenWithoutEmailLeavesTheAccount(t *testing.T) {
	t.Parallel()
	key := rsaSigner(t, "key")
	w := newWorld(t, newProvider(t, key))
	expect := func(caller, stored string, pairs ...any) {
		t.Helper()
		seen := w.expectGood(key.sign(t, w.claims(pairs...)))
		account, err := w.service.Account(t.Context(), seen.AccountID)
		if err != nil || seen.Email != caller || account.Email != stored {
			t.Errorf("%v: the caller is %q and the account %q (%v), want %q and %q", pairs, seen.Email, account.Email, err, caller, stored)
		}
	}
	expect("", "", "email", nil)
	expect("ada@example.org", "ada@example.org")
	expect("", "ada@example.org", "email", nil, "email_verified", nil)
	expect("", "ada@example.org", "email", nil)
	expect("", "", "email_verified", false)
	expect("ada@example.org", "ada@example.org")
	expect("", "", "email", "ada")
}

func TestWithoutAVerifiedEmailNothingIsOnesOwn(t *testing.T) {
	t.Parallel()
	ctx := identity.With(context.Background(), identity.Caller{AccountID: "1"})
	if _, err := identity.Require(ctx); fault.KindOf(err) != fault.Forbidden {
		t.Errorf("got %v, want Forbidden", err)
	}
	if _, err := identity.RequireEmail(ctx, ""); fault.KindOf(err) != fault.Forbidden {
		t.Errorf("an empty e-mail names an account without one: %v", err)
	}
	if _, err := identity.Require(context.Background()); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("got %v, want Unauthenticated", err)
	}
}

// CVE-2022-31027, CVE-2026-33175, GHSA-55m3-44xf-hg4h: identity came from a header that clients can set.
func TestXClaimsChangesNothing(t *testing.T) {
	t.Parallel()
	key := rsaSigner(t, "key")
	w := newWorld(t, newProvider(t, key))
	request := func(token string) *http.Request {
		r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Claims", `{"userName": "victim@example.org", "gatewayID": "default"}`)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		return r
	}
	ctx, err := w.service.Authenticate(request(""), false)
	if _, signedIn := identity.From(ctx); err != nil || signedIn {
		t.Errorf("X-Claims alone signs in (%v)", err)
	}
	ctx, err = w.service.Authenticate(request(key.sign(t, w.claims())), false)
	if err != nil || identity.Email(ctx) != "ada@example.org" {
		t.Errorf("the caller is %q (%v), want the token's", identity.Email(ctx), err)
	}
}

func TestAuthorizationHeader(t *testing.T) {
	t.Parallel()
	key := rsaSigner(t, "key")
	w := newWorld(t, newProvider(t, key))
	token := key.sign(t, w.claims())
	cases := []struct {
		header   string
		optional bool
		signedIn bool
		kind     fault.Kind
	}{
		{header: ""},
		{header: "Bearer " + token, signedIn: true},
		{header: "bearer  " + token, signedIn: true},
		{header: "Bearer ", kind: fault.Unauthenticated},
		{header: token, kind: fault.Unauthenticated},
		{header: "Basic dXNlcjpwYXNz", kind: fault.Unauthenticated},
		{header: "Bearer garbage", kind: fault.Unauthenticated},
		{header: "Bearer garbage", optional: true},
	}
	for _, c := range cases {
		r := &http.Request{Header: http.Header{}}
		if c.header != "" {
			r.Header.Set("Authorization", c.header)
		}
		ctx, err := w.service.Authenticate(r, c.optional)
		if (err != nil) != (c.kind != 0) || (err != nil && fault.KindOf(err) != c.kind) {
			t.Errorf("%.20q: %v, want kind %d", c.header, err, c.kind)
		}
		if _, signedIn := identity.From(ctx); signedIn != c.signedIn {
			t.Errorf("%.20q: signed in %v", c.header, signedIn)
		}
	}
}

// CVE-2021-41194: e-mails that look alike were different accounts, so one could take over the other's rights.
func TestLookAlikeEmailsHaveOneForm(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{"ada@example.org", "ADA@Example.ORG", " ada@example.org\t", "ａｄａ@example.org", "ada@example．org"},
		{"kai@example.org", "\u212Aai@example.org"},                                  // Kelvin sign
		{"jos\u00e9@example.org", "jose\u0301@example.org", "JOS\u00c9@example.org"}, // composed and decomposed
		{"\u01f0@example.org", "J\u030c@example.org"},                                // composes in lower case only
		{"fi@example.org", "\ufb01@example.org"},                                     // ligature
	} {
		for _, email := range same {
			if got := identity.NormalizeEmail(email); got != same[0] {
				t.Errorf("%q becomes %q, want %q", email, got, same[0])
			}
		}
	}
}

func FuzzNormalEmailIsItsOwnNormalForm(f *testing.F) {
	for _, seed := range []string{"Ada@Example.org", "\u00a8a@b", "J\u030c@x", "\u0130@x", "\xff@x", "\u1e9e@x", "\u2003a@b\u3000"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, email string) {
		once := identity.NormalizeEmail(email)
		if twice := identity.NormalizeEmail(once); twice != once {
			t.Errorf("%q becomes %q and then %q", email, once, twice)
		}
	})
}

func TestValidEmail(t *testing.T) {
	t.Parallel()
	for email, want := range map[string]bool{
		"ada@example.org": true, "a+b@x": true, "ünï@example.org": true,
		"": false, "ada": false, "@x": false, "a@": false, "a@b@c": false, "a b@c": false, "a@b\nc": false, "a\x00@b": false,
		"a@b,c@d": false, "<a@b>": false, "a\u00a0@b": false, "a@b\u202e": false,
	} {
		if got := identity.ValidEmail(email); got != want {
			t.Errorf("%q: %v, want %v", email, got, want)
		}
	}
}
