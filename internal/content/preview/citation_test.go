package preview

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestCitationsOfManyShapes(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct{ file, want string }{
		"software": {`
cff-version: 1.2.0
message: If you use this software, please cite it.
title: "Apache Cerebrum"
authors:
  - {family-names: Lovelace, given-names: Ada, orcid: "https://orcid.org/0000-0001-2345-6789"}
  - {family-names: Beethoven, given-names: Ludwig, name-particle: van, name-suffix: Jr.}
  - {name: The Cerebrum Project}
version: 1.10
date-released: 2025-03-01
doi: https://doi.org/10.5281/zenodo.1234
repository-code: https://github.com/apache/cerebrum
license: Apache-2.0
`, `{"id":"10.5281/zenodo.1234","type":"software","title":"Apache Cerebrum","author":[{"family":"Lovelace","given":"Ada"},` +
			`{"family":"Beethoven","given":"Ludwig","non-dropping-particle":"van","suffix":"Jr."},{"literal":"The Cerebrum Project"}],` +
			`"issued":{"date-parts":[[2025,3,1]]},"version":"1.10","DOI":"10.5281/zenodo.1234","URL":"https://github.com/apache/cerebrum","license":"Apache-2.0"}`},
		"the article goes before the software": {`
title: Code
authors: [{family-names: A}]
preferred-citation:
  type: article
  title: "The paper"
  authors: [{family-names: B, given-names: C.}]
  journal: Nature
  volume: 3
  issue: 2
  start: 10
  end: 20
  year: 2024
  month: 7
  doi: 10.1000/xyz
`, `{"id":"10.1000/xyz","type":"article-journal","title":"The paper","author":[{"family":"B","given":"C."}],"issued":{"date-parts":[[2024,7]]},` +
			`"DOI":"10.1000/xyz","container-title":"Nature","volume":"3","issue":"2","page":"10-20"}`},
		"an article without authors does not": {
			"title: Code\nauthors: [{given-names: Plato}]\npreferred-citation: {type: article, title: X}\n",
			`{"id":"Code","type":"software","title":"Code","author":[{"literal":"Plato"}]}`,
		},
		"numbers where texts are meant, and identifiers": {
			"title: 2001\nauthors: [{family-names: 7}]\nversion: 2\nidentifiers: [{type: doi, value: 10.5281/zenodo.7}, {type: url, value: x}]\n",
			`{"id":"10.5281/zenodo.7","type":"software","title":"2001","author":[{"family":"7"}],"version":"2","DOI":"10.5281/zenodo.7"}`,
		},
		"fields of another shape are left out": {
			"title: T\nauthors: [{family-names: A}]\nversion: {a: b}\nvolume: [1]\ndate-released: 2025-13-45\nidentifiers: none\n",
			`{"id":"T","type":"software","title":"T","author":[{"family":"A"}],"issued":{"date-parts":[[2025]]}}`,
		},
		"addresses that run script": {
			"title: T\nauthors: [{family-names: A}]\nurl: javascript:alert(1)\nrepository-code: 'https://u:p@example.org/'\n",
			`{"id":"T","type":"software","title":"T","author":[{"family":"A"}]}`,
		},
		"texts over several lines": {
			"title: |\n  One\n  two\nauthors: [{family-names: 'A\tB'}]\ntype: unheard-of\n",
			`{"id":"One two","type":"document","title":"One two","author":[{"family":"A B"}]}`,
		},
		"no authors": {"title: T\n", `null`}, "no title": {"authors: [{family-names: A}]\n", `null`}, "empty": {"", `null`}, "no YAML": {"\x00\xff{", `null`},
		"a list": {"- a\n- b\n", `null`}, "authors by name alone": {"title: T\nauthors: [Ada]\n", `null`},
		"an alias bomb": {"a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n" +
			"e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\nauthors: *f\ntitle: T\n", `null`},
		"a long title": {
			"title: " + strings.Repeat("x", 5_000) + "\nauthors: [{name: A}]\n",
			`{"id":"` + strings.Repeat("x", 1_000) + `","type":"software","title":"` + strings.Repeat("x", 1_000) + `","author":[{"literal":"A"}]}`,
		},
	} {
		got, err := json.Marshal(parseCitation([]byte(one.file)))
		if err != nil || string(got) != one.want {
			t.Errorf("%s:\n got %.600s\nwant %.600s", name, got, one.want)
		}
	}
}
