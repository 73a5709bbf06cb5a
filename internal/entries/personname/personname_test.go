package personname_test

import (
	"strings"
	"testing"

	"cairn/internal/entries/personname"
)

func TestNamesInAddresses(t *testing.T) {
	t.Parallel()
	for email, want := range map[string][2]string{
		"jane.doe@example.org":                    {"Jane", "Doe"},
		"jane_doe2+papers@example.org":            {"Jane", "Doe"},
		"jane-doe@example.org":                    {"Jane", "Doe"},
		"jean-luc.picard@example.org":             {"Jean-Luc", "Picard"},
		"j.r.hartley@example.org":                 {"J. R.", "Hartley"},
		"ludwig.van.beethoven@example.org":        {"Ludwig", "van Beethoven"},
		"maria.de.la.cruz@example.org":            {"Maria", "de la Cruz"},
		"miles.o'brien@example.org":               {"Miles", "O'Brien"},
		"bj\u00f6rn.\u00e5kesson@example.org":     {"Bj\u00f6rn", "\u00c5kesson"},
		"\u674e.\u5c0f\u9f99@example.org":         {"\u674e.", "\u5c0f\u9f99"},
		"researcher@example.org":                  {},
		"jdoe@example.org":                        {},
		"lab.team@example.org":                    {},
		"data-support@example.org":                {},
		"jane.d@example.org":                      {},
		"a1b2.c3d4@example.org":                   {},
		"x.{y}@example.org":                       {},
		"one.two.three.four.five.six@example.org": {},
		"@example.org":                            {},
		"jane.doe":                                {},
		"":                                        {},
	} {
		if given, family := personname.InAddress(email); given != want[0] || family != want[1] {
			t.Errorf("%q spells %q, %q", email, given, family)
		}
	}
}

func TestGroupsInAddresses(t *testing.T) {
	t.Parallel()
	for email, want := range map[string]string{"lab@example.org": "Lab", "data-support@example.org": "Data Support", "@example.org": "Unknown"} {
		if got := personname.GroupInAddress(email); got != want {
			t.Errorf("%q is called %q", email, got)
		}
	}
}

func TestNamesAreDivided(t *testing.T) {
	t.Parallel()
	cases := map[string][2]string{
		"Ada Lovelace": {"Ada", "Lovelace"}, "Lovelace, Ada King": {"Ada King", "Lovelace"}, "Jean-Luc van der Berg": {"Jean-Luc", "van der Berg"},
		"Ludwig van der Rohe": {"Ludwig", "van der Rohe"}, "van Gogh": {"van", "Gogh"}, "Maria de la Cruz": {"Maria", "de la Cruz"},
		"Ana  Zu Berg": {"Ana Zu", "Berg"}, "Plato": {},
	}
	for particle := range strings.FieldsSeq("af al bin da de del della den der di do dos du el la le van von zu zum zur") {
		cases["Ada "+particle+" Berg"] = [2]string{"Ada", particle + " Berg"}
	}
	for name, want := range cases {
		if given, family := personname.Split(name); given != want[0] || family != want[1] {
			t.Errorf("%s is %q, %q", name, given, family)
		}
	}
}
