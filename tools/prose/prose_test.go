package prose_test

import (
	"testing"

	"cairn/tools/prose"

	"golang.org/x/tools/go/analysis/analysistest"
)

func TestProse(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), prose.Analyzer, "cairn/internal/app", "cairn/internal/app/transfer", "cairn/internal/apptest")
}
