package diagnosis_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"cairn/internal/sessions/diagnosis"
)

func TestCodesOfTheEngineComeFirst(t *testing.T) {
	const log = "WARNING: unrelated\nERROR: No matching distribution found for rates\n"
	got := diagnosis.Explain(diagnosis.Failure{Code: diagnosis.IndexUnreachable, Reason: "The index is away.", Log: log})
	if got.Code != diagnosis.IndexUnreachable || got.Sentence != "The package index can't be reached, so the packages weren't installed." || got.Who != diagnosis.You || got.From != 1 || got.To != 2 {
		t.Errorf("got %+v", got)
	}
	got = diagnosis.Explain(diagnosis.Failure{Code: diagnosis.TooLarge, Reason: "The files take 3 GiB.", Log: log})
	if got.Sentence != "The files take 3 GiB." || got.Who != diagnosis.Authors {
		t.Errorf("got %+v", got)
	}
	if got := diagnosis.Explain(diagnosis.Failure{Log: "all is well\n"}); got != (diagnosis.Cause{}) {
		t.Errorf("a log without an error got %+v", got)
	}
}

func TestCodesTravelWithErrors(t *testing.T) {
	cause := errors.New("no room")
	err := fmt.Errorf("launched: %w", diagnosis.With(cause, diagnosis.DiskFull))
	if diagnosis.CodeOf(err) != diagnosis.DiskFull || !errors.Is(err, cause) || diagnosis.CodeOf(cause) != "" {
		t.Errorf("got %q of %v", diagnosis.CodeOf(err), err)
	}
}

// Rules that no recorded failure needs, and lines that look like a cause and aren't.
func TestForms(t *testing.T) {
	for log, want := range map[string]diagnosis.Code{
		"fatal: Remote branch trial not found in upstream origin":                                                      diagnosis.RefUnknown,
		"fatal: unable to access 'https://a.example/b/': The requested URL returned error: 403":                        diagnosis.CloneRefused,
		"fatal: unable to access 'https://a.example/b/': The requested URL returned error: 429":                        diagnosis.CloneUnreachable,
		"ERROR: torch-2.0-cp38-cp38-win_amd64.whl is not a supported wheel on this platform.":                          diagnosis.PythonVersion,
		"ERROR: Package 'old' requires a different Python: 3.11.2 not in '<3.8'":                                       diagnosis.PythonVersion,
		"ImportError: libcudart.so.11.0: cannot open shared object file: No such file or directory":                    diagnosis.NoGPU,
		"AssertionError: Torch not compiled with CUDA enabled":                                                         diagnosis.NoGPU,
		"ImportError: No module named 'metakernel'":                                                                    diagnosis.ModuleMissing,
		"ModuleNotFoundError: No module named 'urllib2'":                                                               diagnosis.WrongLanguage,
		"ModuleNotFoundError: No module named 'sklearn.cross_validation'":                                              diagnosis.VersionConflict,
		"ValueError: numpy.dtype size changed, may indicate binary incompatibility. Expected 96":                       diagnosis.VersionConflict,
		"AttributeError: partially initialized module 'csv' has no attribute 'reader' (most likely a circular import)": diagnosis.NameShadowed,
		"jupyter_client.kernelspec.NoSuchKernel: No such kernel named thesis-env":                                      diagnosis.WrongLanguage,
		"PermissionError: [Errno 13] Permission denied: '/etc/hosts'":                                                  diagnosis.ReadOnly,
		"NameError: name 'results' is not defined":                                                                     diagnosis.CodeFailed,
		"[C 12:00:00.000 NotebookApp] Running as root is not recommended. Use --allow-root to bypass.":                 diagnosis.ServerFault,
		"Warning: the disk of the model is 3 % full":                                                                   "",
		"UserWarning: module 'x' has no attribute 'y'":                                                                 "",
	} {
		if got := diagnosis.Explain(diagnosis.Failure{Log: log + "\n"}); got.Code != want || (got.Code != "") != (got.To == 1) {
			t.Errorf("%s: want %q, got %+v", log, want, got)
		}
	}
}

// What the log says about a step that succeeded isn't the cause.
func TestOtherStepsAreNoCause(t *testing.T) {
	log := "fatal: unable to access 'https://a.example/b/': timed out\nERROR: No matching distribution found for glob\nNameError: name 'x' is not defined\n"
	for step, want := range map[diagnosis.Step]diagnosis.Code{
		diagnosis.Clone: diagnosis.CloneUnreachable, diagnosis.Install: diagnosis.PackageUnknown, diagnosis.Run: diagnosis.CodeFailed,
	} {
		if got := diagnosis.Explain(diagnosis.Failure{Step: step, Log: log}); got.Code != want {
			t.Errorf("%s: got %+v", step, got)
		}
	}
	got := diagnosis.Explain(diagnosis.Failure{Step: diagnosis.Install, Log: log})
	if got.Fix != "Remove glob from requirements.txt." {
		t.Errorf("got %+v", got)
	}
}

// The engine of this server prints pip's lines without their indent, and where the repository asks for something.
func TestConflictsSayWhereTheRepositoryAsks(t *testing.T) {
	const tail = "\nTo fix this you could try to:\nERROR: ResolutionImpossible: for help visit https://pip.pypa.io/\n"
	for log, want := range map[string]struct {
		sentence string
		action   diagnosis.Action
	}{
		"The conflict is caused by:\nThe user requested protolib<4 (line 3 of environment.yml)\nboards 2.0 depends on protolib>=4\n": {
			"Packages need conflicting versions: line 3 of environment.yml needs protolib<4, boards 2.0 needs protolib>=4.", diagnosis.Repository,
		},
		"The conflict is caused by:\n    The user requested protolib<4\n    boards 2.0 depends on protolib>=4\n": {
			"Packages need conflicting versions: requirements.txt needs protolib<4, boards 2.0 needs protolib>=4.", diagnosis.Requirements,
		},
		"The conflict is caused by:\nThe user requested protolib<4 (line 1 of requirements.txt)\nboards 2.0 depends on protolib>=4; extra == 'x'\n": {
			"Packages need conflicting versions: line 1 of requirements.txt needs protolib<4, boards 2.0 needs protolib>=4.", diagnosis.Requirements,
		},
	} {
		got := diagnosis.Explain(diagnosis.Failure{Step: diagnosis.Install, Log: log + tail})
		if got.Code != diagnosis.VersionConflict || got.Sentence != want.sentence || got.Action != want.action {
			t.Errorf("%s: %+v", log, got)
		}
	}
	got := diagnosis.Explain(diagnosis.Failure{Code: diagnosis.VersionConflict, Reason: "They exclude each other."})
	if got.Sentence != "They exclude each other." || got.Action != diagnosis.Repository || got.Fix == "" {
		t.Errorf("An engine's own: %+v", got)
	}
}

// An index that answered at the second attempt isn't the cause of what failed later.
func TestRetriesThatHelpedAreNoCause(t *testing.T) {
	log := "WARNING: Retrying (Retry(total=0, connect=None)) after connection broken by 'ReadTimeout': /simple/numpy/\nCollecting numpy\n" +
		"ERROR: Could not find a version that satisfies the requirement numppy (from versions: none)\nERROR: No matching distribution found for numppy\n"
	if got := diagnosis.Explain(diagnosis.Failure{Log: log}); got.Code != diagnosis.PackageUnknown || got.From != 2 || got.To != 4 {
		t.Errorf("got %+v", got)
	}
}

func TestLogsAreCutIntoParts(t *testing.T) {
	recorded, err := os.ReadFile("testdata/logs/typing_error_of_pip.log")
	if err != nil {
		t.Fatal(err)
	}
	log := string(recorded) + "sent tapfd=5 for tap0\nreceived tapfd=5\nStarting slirp\n* MTU:             65520\nseccomp: The following syscalls will be blocked\nReady"
	parts := diagnosis.Parts(log, diagnosis.Explain(diagnosis.Failure{Log: log}))
	var text strings.Builder
	var kinds []diagnosis.PartKind
	for _, part := range parts {
		text.WriteString(part.Text)
		kinds = append(kinds, part.Kind)
	}
	if text.String() != log || fmt.Sprint(kinds) != "[plain marked folded plain]" || parts[2].Size != 5 {
		t.Errorf("got %+v", parts)
	}
}

func TestHostsBeyondTheProxyNeedTheInternet(t *testing.T) {
	for _, said := range []string{"CONNECT tunnel failed, response 502", "Received HTTP code 502 from proxy after CONNECT"} {
		got := diagnosis.Explain(diagnosis.Failure{Log: "fatal: unable to access 'https://a.example/b/': " + said + "\n"})
		if got.Code != diagnosis.CloneUnreachable || !strings.Contains(got.Sentence, "needs the internet") {
			t.Errorf("%s: got %+v", said, got)
		}
	}
}
