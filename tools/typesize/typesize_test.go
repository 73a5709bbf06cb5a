package typesize

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

func TestTypeSize(t *testing.T) {
	exceptions = map[string]size{
		"cairn/internal/big.Known":  {methods: 61},
		"cairn/internal/big.Shrunk": {methods: 70},
		"cairn/internal/big.Small":  {fields: 40},
	}
	t.Cleanup(func() { exceptions = nil })
	analysistest.Run(t, analysistest.TestData(), Analyzer, "cairn/internal/big")
}
