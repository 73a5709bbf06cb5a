package engine

import (
	"strings"
	"testing"
)

func TestListsOfWhatWasLeftOutAreShort(t *testing.T) {
	t.Parallel()
	if short := ShortLeftOut(nil); short != nil {
		t.Errorf("nothing becomes %v", short)
	}
	var list []LeftOut
	for range 150 {
		list = append(list, LeftOut{What: strings.Repeat("x", 500), Why: strings.Repeat("y", 500)})
	}
	if short := ShortLeftOut(list[:100]); len(short) != 100 || len(short[99].What) > 120 || len(short[99].Why) > 300 {
		t.Errorf("100 become %d, the last one %+v", len(short), short[len(short)-1])
	}
	if short := ShortLeftOut(list); len(short) != 100 || short[99].What != "51 more" {
		t.Errorf("150 become %d, the last one %+v", len(short), short[len(short)-1])
	}
}
