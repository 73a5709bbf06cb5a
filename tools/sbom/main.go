// Command sbom writes the bill of materials of a cairn binary, as CycloneDX JSON: the Go modules that the binary itself
// says are linked in, and the npm packages of its page. Their licenses come from the list that the binary carries.
//
//	sbom BINARY VERSION internal/foundation/licenses/licenses.json > cairn.cdx.json
//
// Equal input gives equal bytes; the time is that of SOURCE_DATE_EPOCH.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	if err := run(os.Args[1:], os.Getenv("SOURCE_DATE_EPOCH"), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// component is one of the list of licenses.
type component struct{ Name, Version, Kind, License string }

func run(arguments []string, epoch string, out io.Writer) error {
	if len(arguments) != 3 {
		return errors.New("usage: sbom BINARY VERSION LICENSES")
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH must be seconds since 1970, not %q", epoch)
	}
	content, err := os.ReadFile(arguments[0])
	if err != nil {
		return err
	}
	build, err := buildinfo.ReadFile(arguments[0])
	if err != nil {
		return err
	}
	list, err := os.ReadFile(arguments[2])
	if err != nil {
		return err
	}
	var known struct{ Components []component }
	if err := json.Unmarshal(list, &known); err != nil {
		return fmt.Errorf("%s: %w", arguments[2], err)
	}
	bill, err := billOf(build, known.Components, arguments[1])
	if err != nil {
		return err
	}
	digest := sha256.Sum256(content)
	bill.Metadata.Timestamp = time.Unix(seconds, 0).UTC().Format(time.RFC3339)
	bill.Metadata.Component.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(digest[:])}}
	return cyclonedx.NewBOMEncoder(out, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bill)
}

// billOf joins what is linked into a binary with what is known of licenses.
func billOf(build *buildinfo.BuildInfo, known []component, version string) (*cyclonedx.BOM, error) {
	licenses := map[string]string{} // by kind, name and version
	for _, one := range known {
		licenses[one.Kind+" "+one.Name+" "+one.Version] = one.License
	}
	product := cyclonedx.Component{
		Type: cyclonedx.ComponentTypeApplication, Name: "cairn", Version: version, BOMRef: "pkg:generic/cairn@" + version,
		Licenses: licensed(licenses["product Cairn "]),
	}
	var parts []cyclonedx.Component
	var unknown []string
	add := func(key, name, version, address string) {
		license := licenses[key]
		if license == "" {
			unknown = append(unknown, name+" "+version)
		}
		parts = append(parts, cyclonedx.Component{
			Type: cyclonedx.ComponentTypeLibrary, Name: name, Version: version, PackageURL: address, BOMRef: address, Licenses: licensed(license),
		})
	}
	compiler := strings.TrimPrefix(build.GoVersion, "go")
	add("go Go standard library ", "std", compiler, "pkg:golang/std@"+compiler)
	for _, one := range build.Deps {
		if one.Replace != nil {
			return nil, fmt.Errorf("%s is replaced, which the bill can't say", one.Path)
		}
		add("go "+one.Path+" "+one.Version, one.Path, one.Version, "pkg:golang/"+one.Path+"@"+one.Version)
	}
	for _, one := range known {
		if one.Kind == "npm" {
			add("npm "+one.Name+" "+one.Version, one.Name, one.Version, "pkg:npm/"+strings.Replace(one.Name, "@", "%40", 1)+"@"+one.Version)
		}
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("no license is known of %s; run: make generate", strings.Join(unknown, ", "))
	}
	slices.SortFunc(parts, func(a, b cyclonedx.Component) int { return strings.Compare(a.BOMRef, b.BOMRef) })
	references := make([]string, len(parts))
	for i, part := range parts {
		references[i] = part.BOMRef
	}
	bill := cyclonedx.NewBOM()
	bill.Metadata = &cyclonedx.Metadata{Component: &product}
	bill.Components = &parts
	bill.Dependencies = &[]cyclonedx.Dependency{{Ref: product.BOMRef, Dependencies: &references}}
	return bill, nil
}

func licensed(expression string) *cyclonedx.Licenses {
	return &cyclonedx.Licenses{{Expression: expression}}
}
