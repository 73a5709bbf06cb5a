package requirements

import (
	"strings"
	"testing"
)

// What pip would do with other lines than names, the cache's key does not tell.
func TestOnlyPackagesByNameAreInstalled(t *testing.T) {
	t.Parallel()
	var found Packages
	found.addLines("numpy\r\npandas>=1.0,<3 # why\n\n# no\nscipy[all] ~= 1.2 ; python_version < '4'\nname==1.*\\\n --hash=sha256:" + strings.Repeat("0a", 32) + "\n" +
		"A.b_c-d (>=1)\n-e .\n-r other.txt\n--index-url https://evil.example\nx @ https://evil.example/x.whl\n./local\ngit+https://x/y\n" +
		"name==${HOME}\n../up.whl\nx --global-option=y\nnumpy==1.0 --config-settings=x\n")
	if lines := found.Lines(); len(lines) != 5 || len(found.left) != 10 || lines[2] != `scipy[all]~=1.2 ; python_version < '4'` {
		t.Errorf("%d lines %q, left %d %q", len(lines), lines, len(found.left), found.left)
	}
	if told := found.NotSupported(); len(told) > 190 || !strings.HasPrefix(told, "Not supported, left out: -e ., -r other.txt") {
		t.Errorf("told %q", told)
	}
	found = Packages{}
	found.addDescriptor("project: {additional_dependencies: {pip: [a, 'b==1', '-e x']}}\nadditional_dependencies: {conda: [c], modules: {x: y}}\n")
	if strings.Join(found.Lines(), "|") != "a|b==1" || strings.Join(found.left, "|") != "conda (c)|-e x" {
		t.Errorf("The descriptor gives %+v", found)
	}
}
