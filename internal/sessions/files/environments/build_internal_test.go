package environments

import (
	"context"
	"errors"
	"testing"

	"cairn/internal/foundation/safehttp"
)

func TestABuilderReachesItsHostsAlone(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	opened := Installer{options: Options{Web: safehttp.New(safehttp.Options{}), Builder: Builder{Hosts: []string{"conda.anaconda.org", "localhost"}}}}
	for address, refused := range map[string]bool{
		"conda.anaconda.org:443": false, "Conda.Anaconda.org:80": false, "conda.anaconda.org:22": true, "anaconda.org:443": true, "x.conda.anaconda.org:443": true,
		"127.0.0.1:443": true, "[::1]:443": true, "conda.anaconda.org": true,
	} {
		_, err := opened.dialForBuilder(over, "tcp", address)
		if err == nil || refused == errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", address, err)
		}
	}
	if _, err := opened.dialForBuilder(t.Context(), "tcp", "localhost:443"); err == nil {
		t.Error("A name leads into this machine")
	}
}
