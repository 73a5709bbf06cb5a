package sizes

import (
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/people/identity"
)

const gib = 1 << 30

// offer is a size for everyone.
func offer(name string, memory int64, cpus float64, gpus int) Profile {
	return Profile{Name: name, Label: name, Limits: Limits{MemoryBytes: memory, CPUs: cpus}, GPUs: gpus}
}

func TestTheSmallestSizeThatFits(t *testing.T) {
	t.Parallel()
	member := identity.Caller{Email: "ann@example.org"}
	operator := identity.Caller{Email: "olga@example.org", Operator: true}
	forOthers, forOperators := offer("others", 8*gib, 2, 0), offer("operators", 8*gib, 2, 0)
	forOthers.For.Domains, forOperators.For.Operators = []string{"example.edu"}, true
	plain := []Profile{offer("default", 4*gib, 2, 0), offer("small", 2*gib, 1, 0), offer("large", 16*gib, 8, 0), offer("gpu", 8*gib, 4, 1)}
	for what, c := range map[string]struct {
		sizes  []Profile
		caller identity.Caller
		needs  *catalog.Needs
		want   string // "": none fits
	}{
		"nothing is asked for":              {plain, member, nil, "default"},
		"little memory":                     {plain, member, &catalog.Needs{MemoryBytes: gib}, "small"},
		"exactly as much memory":            {plain, member, &catalog.Needs{MemoryBytes: 2 * gib}, "small"},
		"a byte more":                       {plain, member, &catalog.Needs{MemoryBytes: 2*gib + 1}, "default"},
		"processors":                        {plain, member, &catalog.Needs{CPUs: 2.5}, "large"},
		"memory and processors":             {plain, member, &catalog.Needs{MemoryBytes: gib, CPUs: 2}, "default"},
		"a GPU isn't spent on memory":       {plain, member, &catalog.Needs{MemoryBytes: 8 * gib}, "large"},
		"a GPU":                             {plain, member, &catalog.Needs{GPUs: 1}, "gpu"},
		"two GPUs":                          {plain, member, &catalog.Needs{GPUs: 2}, ""},
		"a GPU with much memory":            {plain, member, &catalog.Needs{GPUs: 1, MemoryBytes: 9 * gib}, ""},
		"too much memory":                   {plain, member, &catalog.Needs{MemoryBytes: 17 * gib}, ""},
		"the first of equal ones":           {[]Profile{offer("one", 4*gib, 2, 0), offer("other", 4*gib, 2, 0)}, member, &catalog.Needs{CPUs: 1}, "one"},
		"fewer processors at equal memory":  {[]Profile{offer("one", 4*gib, 4, 0), offer("other", 4*gib, 2, 0)}, member, &catalog.Needs{CPUs: 1}, "other"},
		"a limit before none":               {[]Profile{offer("free", 0, 0, 0), offer("limited", 4*gib, 2, 0)}, member, &catalog.Needs{CPUs: 1}, "limited"},
		"no limit is enough":                {[]Profile{offer("free", 0, 0, 0), offer("limited", 4*gib, 2, 0)}, member, &catalog.Needs{MemoryBytes: 1 << 45, CPUs: 500}, "free"},
		"no limit is no GPU":                {[]Profile{offer("free", 0, 0, 0)}, member, &catalog.Needs{GPUs: 1}, ""},
		"another domain's size":             {[]Profile{plain[0], forOthers}, member, &catalog.Needs{MemoryBytes: 5 * gib}, ""},
		"a smaller one of another domain":   {[]Profile{plain[2], forOthers}, member, &catalog.Needs{MemoryBytes: 5 * gib}, "large"},
		"one's own domain's size":           {[]Profile{plain[0], forOthers}, identity.Caller{Email: "eve@example.edu"}, &catalog.Needs{MemoryBytes: 5 * gib}, "others"},
		"the operators' size":               {[]Profile{plain[0], forOperators}, member, &catalog.Needs{MemoryBytes: 5 * gib}, ""},
		"the operators' size, for them":     {[]Profile{plain[0], forOperators}, operator, &catalog.Needs{MemoryBytes: 5 * gib}, "operators"},
		"a visitor may be anybody":          {[]Profile{plain[0], forOperators}, identity.Caller{}, &catalog.Needs{MemoryBytes: 5 * gib}, "operators"},
		"all sizes are for others":          {[]Profile{forOthers}, member, nil, ""},
		"needs of nothing in particular":    {plain, member, &catalog.Needs{}, "small"},
		"forbidden ones are never the rest": {[]Profile{forOthers, forOperators}, member, &catalog.Needs{CPUs: 1}, ""},
	} {
		got, fits := smallest(Engine{Profiles: c.sizes}.Offered(c.caller), c.needs)
		if got.Name != c.want || fits != (c.want != "") {
			t.Errorf("%s: %q %v, want %q", what, got.Name, fits, c.want)
		}
	}
	alone := Engine{Limits: Limits{MemoryBytes: 4 * gib, CPUs: 2}}
	if _, fits := smallest(alone.Offered(member), &catalog.Needs{MemoryBytes: 4 * gib}); !fits {
		t.Error("an engine without sizes has its own limits, and they fit")
	}
	if _, fits := smallest(alone.Offered(member), &catalog.Needs{MemoryBytes: 5 * gib}); fits {
		t.Error("an engine without sizes has only its own limits")
	}
}

func TestWhyNoSizeFits(t *testing.T) {
	t.Parallel()
	member := identity.Caller{Email: "ann@example.org"}
	small, large, own := offer("small", 2*gib, 1, 0), offer("large", 16*gib, 4, 0), offer("own", 64*gib, 16, 2)
	own.For.Domains = []string{"example.edu"}
	engines := func(sizes ...[]Profile) (all []Engine) {
		for _, one := range sizes {
			all = append(all, Engine{Profiles: one})
		}
		return all
	}
	for _, c := range []struct {
		engines []Engine
		needs   *catalog.Needs
		want    string
	}{
		{nil, &catalog.Needs{GPUs: 1}, ""},
		{engines([]Profile{small, large}), nil, ""},
		{engines([]Profile{small, large}), &catalog.Needs{MemoryBytes: 16 * gib}, ""},
		{engines([]Profile{small}, []Profile{large}), &catalog.Needs{MemoryBytes: 16 * gib}, ""},
		{
			engines([]Profile{small}, []Profile{large}), &catalog.Needs{MemoryBytes: 32 * gib, CPUs: 0.5, GPUs: 2},
			"Its authors ask for 32 GiB of memory, 0.5 processors and 2 GPUs, and no size of session here has that. The largest has 16 GiB of memory, 4 processors and no GPU.",
		},
		{
			engines([]Profile{offer("gpu", 8*gib, 2, 1), large}), &catalog.Needs{MemoryBytes: 32 * gib},
			"Its authors ask for 32 GiB of memory, and no size of session here has that. The largest has 16 GiB of memory and 4 processors.",
		},
		{
			[]Engine{{Limits: Limits{MemoryBytes: 2 * gib, CPUs: 1}}},
			&catalog.Needs{MemoryBytes: 8 * gib},
			"Its authors ask for 8 GiB of memory, and no size of session here has that. The only one has 2 GiB of memory and 1 processor.",
		},
		{
			[]Engine{{}},
			&catalog.Needs{GPUs: 1},
			"Its authors ask for 1 GPU, and no size of session here has that. The only one has no GPU.",
		},
		{
			engines([]Profile{small, large, own}), &catalog.Needs{GPUs: 1},
			"Its authors ask for 1 GPU, and no size of session that your account can choose here has that. The largest has 16 GiB of memory, 4 processors and no GPU.",
		},
		{engines([]Profile{own}), &catalog.Needs{GPUs: 1}, "Its authors ask for 1 GPU, and your account can't choose any size of session here."},
	} {
		if got := Unfit(c.engines, c.needs, member); got != c.want {
			t.Errorf("%+v:\n got %s\nwant %s", c.needs, got, c.want)
		}
	}
}
