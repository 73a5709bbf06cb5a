package catalog_test

import (
	"strconv"
	"strings"
	"testing"

	"cairn/internal/entries/catalog"
	"cairn/internal/entries/catalog/catalogtest"
)

func TestRulesOfEntries(t *testing.T) {
	t.Parallel()
	many := func(count int, value func(i int) string) []string {
		values := make([]string, count)
		for i := range values {
			values[i] = value(i)
		}
		return values
	}
	number := func(i int) string { return "t" + strings.Repeat("x", i) }
	email := func(i int) string { return "a" + strings.Repeat("x", i) + "@example.org" }
	model := func(id, version string) func(*catalog.Entry) {
		return func(r *catalog.Entry) {
			r.Type, r.DatasetURL, r.ApplicationInterfaceID, r.Version = catalog.Model, "", id, version
		}
	}
	cases := map[string]struct {
		change func(*catalog.Entry)
		want   string // the locations of the faults
	}{
		"fine":                {func(*catalog.Entry) {}, ""},
		"any script":          {func(r *catalog.Entry) { r.Name = " 細胞の画像 \u202f" }, ""},
		"200 characters":      {func(r *catalog.Entry) { r.Name = strings.Repeat("ü", 200) }, ""},
		"201 characters":      {func(r *catalog.Entry) { r.Name = strings.Repeat("ü", 201) }, "name"},
		"blank name":          {func(r *catalog.Entry) { r.Name = " \t" }, "name"},
		"two lines":           {func(r *catalog.Entry) { r.Name = "a\nb" }, "name"},
		"zero byte":           {func(r *catalog.Entry) { r.Name = "a\x00b" }, "name"},
		"no UTF-8":            {func(r *catalog.Entry) { r.Name = "a\xffb" }, "name"},
		"turned name":         {func(r *catalog.Entry) { r.Name = "file\u202etxt.exe" }, "name"},
		"isolated name":       {func(r *catalog.Entry) { r.Name = "a\u2066b" }, "name"},
		"marks of direction":  {func(r *catalog.Entry) { r.Name = "\u05d0\u200e(2)" }, ""},
		"long description":    {catalogtest.About(strings.Repeat("ü", 20_000)), ""},
		"longer description":  {catalogtest.About(strings.Repeat("ü", 20_001)), "description"},
		"lines and tabs":      {catalogtest.About("a\r\n\tb"), ""},
		"escape sequence":     {catalogtest.About("a\x1b[31m"), "description"},
		"no author":           {catalogtest.By(), "authors"},
		"blank author":        {catalogtest.By(" "), "authors"},
		"bad author":          {catalogtest.By("Ada Lovelace"), "authors"},
		"zero byte in author": {catalogtest.By("a\x00@b.c"), "authors"},
		"100 authors":         {catalogtest.By(many(100, email)...), ""},
		"101 authors":         {catalogtest.By(many(101, email)...), "authors"},
		"30 tags":             {catalogtest.Tagged(many(30, number)...), ""},
		"31 tags":             {catalogtest.Tagged(many(31, number)...), "tags"},
		"tag of 60":           {catalogtest.Tagged(strings.Repeat("ü", 60)), ""},
		"tag of 61":           {catalogtest.Tagged(strings.Repeat("ü", 61)), "tags"},
		"tag of two lines":    {catalogtest.Tagged("a\nb"), "tags"},
		"no privacy":          {func(r *catalog.Entry) { r.Privacy = "" }, "privacy"},
		"odd privacy":         {func(r *catalog.Entry) { r.Privacy = "public" }, "privacy"},
		"odd type":            {func(r *catalog.Entry) { r.Type = "VIDEO" }, "type"},
		"header image":        {func(r *catalog.Entry) { r.HeaderImage = "a\nb" }, "headerImage"},
		"model":               {model("app-1", "2.0"), ""},
		"model without id":    {model("", ""), "applicationInterfaceId"},
		"model, odd version":  {model("app-1", "1\n2"), "version"},
		"no address":          {catalogtest.Repository(""), "repositoryUrl"},
		"long address":        {catalogtest.Repository("https://x.org/" + strings.Repeat("x", 2000)), "repositoryUrl"},
		"several":             {func(r *catalog.Entry) { r.Name, r.Privacy, r.Authors = "", "", nil }, "name authors privacy"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := catalogtest.Entry("name", c.change)
			r.Normalize()
			var locations []string
			for _, field := range r.Check() {
				locations = append(locations, field.Location)
				if field.Message == "" {
					t.Errorf("%s has no message", field.Location)
				}
			}
			if got := strings.Join(locations, " "); got != c.want {
				t.Errorf("faults at %q, want %q", got, c.want)
			}
		})
	}
}

// What somebody sends may hold very many values: comparing each with each would take minutes, and this test with it.
func TestManyValuesAreNormalized(t *testing.T) {
	t.Parallel()
	r := catalog.Entry{}
	for i := range 200_000 {
		r.Tags = append(r.Tags, catalog.Tag{Value: strconv.Itoa(i)})
		r.Authors = append(r.Authors, strconv.Itoa(i)+"@example.org")
	}
	r.Normalize()
	if len(r.Tags) != 200_000 || len(r.Authors) != 200_000 {
		t.Errorf("%d tags and %d authors are left", len(r.Tags), len(r.Authors))
	}
}

func TestNormalForm(t *testing.T) {
	t.Parallel()
	r := catalogtest.Entry(" name ", catalogtest.By("Bob@Example.org", " ada@example.org", "bob@EXAMPLE.org", ""), catalogtest.Tagged(" b", "a", "b ", "", "A"))
	r.Normalize()
	var tags []string
	for _, tag := range r.Tags {
		tags = append(tags, tag.Value)
	}
	if r.Name != "name" || strings.Join(r.Authors, " ") != "bob@example.org ada@example.org" || strings.Join(tags, " ") != "A a b" {
		t.Errorf("got %q, %v, %v", r.Name, r.Authors, tags)
	}
}

// CVE-2021-39159, CVE-2021-39160, CVE-2024-56333: a crafted address reached a command line.
func TestHostileRepositoryAddressesAreRefused(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"", "name", "/etc", "-oProxyCommand=x", "--upload-pack=x", "ext::sh -c x", "file:///etc", "git://host/x", "ssh://host/x",
		"git@github.com:owner/name", "http://github.com/owner/name", "http://localhost.evil.example/x", "http://evillocalhost/x", "http://127.0.0.1.evil.example/x",
		"https://", "https://github.com", "https://github.com/", "https://github.com//", "https:///path", "https://:443/x",
		"https://-oProxyCommand=x/y", "https://user:password@github.com/o/n", "https://user@github.com/o/n", "https://@github.com/o/n",
		"https://github.com/o/n?x=1", "https://github.com/o/n#x", "https://github.com/o/n?", "https://github.com/o/n#",
		"https://github.com/o n", "https://github.com/o/n\n", "\thttps://github.com/o/n", "https://github.com/o/n\x00", "https://github.com\\o/n",
		"https://github.com/o/\u00a0n", "https://github.com/o/n\u2028", "https://github.com/o/\u202en", "https://github.com/o/\x7f", "https://[::1/x",
		"https://github.com/o/\xff", "https://git%68ub.com:99999999/%zz", "javascript://x/%0aalert(1)", "https:github.com/o/n",
	} {
		if catalog.ValidRepository(address) {
			t.Errorf("%q is accepted", address)
		}
	}
	for _, address := range []string{
		"https://github.com/owner/name", "https://github.com/owner/name.git", "https://git.example.org:8443/group/sub/name/",
		"http://127.0.0.1:8080/demo/git/first-steps.git", "http://localhost:8080/x", "http://cairn.localhost:8080/x", "http://[::1]:8080/x", "https://例え.jp/o/n",
	} {
		if !catalog.ValidRepository(address) {
			t.Errorf("%q is refused", address)
		}
	}
}

func TestAddressesOfDatasetsAndNotebooks(t *testing.T) {
	t.Parallel()
	dataset := func(address string) bool {
		r := catalogtest.Entry("name", func(r *catalog.Entry) { r.DatasetURL = address })
		r.Normalize()
		return len(r.Check()) == 0
	}
	notebookAt := func(address string) bool {
		r := catalogtest.Entry("name", notebook, func(r *catalog.Entry) { r.NotebookPath = address })
		r.Normalize()
		return len(r.Check()) == 0
	}
	for _, address := range []string{"spikes", "lab/2024/spikes", "bundled:spikes", "https://x.org/a.zip?sig=1", "Daten für alle"} {
		if !dataset(address) {
			t.Errorf("dataset %q is refused", address)
		}
	}
	for _, address := range []string{
		"", ".", "..", "../x", "a/../b", "a/..", "/etc", "a//b", "a/", ".hidden", "a/.git", "-x", "a/-x", `a\b`, "a\x00b", "a\nb", "c:x",
		"http://x.org/a", "file:///etc", "bundled:", "bundled:../x", "bundled:a/b", "ftp://x.org/a", "https://u:p@x.org/a",
	} {
		if dataset(address) {
			t.Errorf("dataset %q is accepted", address)
		}
	}
	for address, want := range map[string]bool{
		"bundled:first.ipynb": true, "https://github.com/o/r/blob/main/a.ipynb": true,
		"a.ipynb": false, "http://x.org/a.ipynb": false, "bundled:-x": false, "javascript:alert(1)": false,
	} {
		if notebookAt(address) != want {
			t.Errorf("notebook %q: accepted %v", address, !want)
		}
	}
}
