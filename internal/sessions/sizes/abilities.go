package sizes

import "cairn/internal/sessions/engine"

// Ability is something that sessions of an engine can have. Pages and programs ask for it instead of the engine's kind.
type Ability string

// The abilities.
const (
	Archives     Ability = "archives"     // work can be downloaded
	Datasets     Ability = "datasets"     // datasets are shown read-only
	Environments Ability = "environments" // what repositories ask for is installed
	Runs         Ability = "runs"         // the catalog runs entries there
	Undelete     Ability = "undelete"     // deleted sessions can be brought back
	UsageKnown   Ability = "usage"        // what sessions use is measured
	Versions     Ability = "versions"     // earlier states of work are kept
	WarmSessions Ability = "warm"         // sessions can run before anybody asks for them
	InVSCode     Ability = "vscode"       // sessions can be opened in VS Code
	BySSH        Ability = "ssh"          // sessions can be reached by SSH
)

// Can returns what sessions of an engine can have, in alphabetical order. Some of it depends on what is installed where they run.
func (e Engine) Can() []Ability {
	can := []Ability{Archives, Datasets}
	add := func(has bool, one Ability) {
		if has {
			can = append(can, one)
		}
	}
	_, plans := e.Engine.(engine.EnvironmentPlanner)
	if some, asks := e.Engine.(interface{ MakesEnvironments() bool }); asks {
		plans = some.MakesEnvironments()
	}
	_, measures := e.Engine.(engine.Meter)
	_, dials := e.Engine.(engine.ShellDialer)
	if some, asks := e.Engine.(interface{ HasShell() bool }); asks {
		dials = some.HasShell()
	}
	editor, edits := e.Engine.(engine.EditorEngine)
	_, keeps := e.Versioner()
	add(plans, Environments)
	add(e.RunsBatches(), Runs)
	add(dials, BySSH)
	add(keeps, Undelete)
	add(measures, UsageKnown)
	add(keeps, Versions)
	add(edits && editor.HasEditor(), InVSCode)
	add(e.KeepsWarm(), WarmSessions)
	return can
}
