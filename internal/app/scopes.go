package app

import (
	"context"

	"cairn/internal/people/identity"
)

// The scopes of personal access tokens, as tokenScopes has them.
const (
	read    = string(identity.ScopeRead)
	run     = string(identity.ScopeRun)
	write   = string(identity.ScopeWrite)
	noToken = "" // refuses every token
)

// tokenScopes are the scopes that let personal access tokens call an operation, by its id. An operation that isn't here
// refuses them too; the tests refuse such an operation. Accounts, tokens, what operators do, and the ways of browsers into sessions
// need somebody who has signed in.
var tokenScopes = map[string]string{
	"get-config": read, "list-licenses": read,

	"get-me": noToken, "list-accounts": noToken, "decide-account": noToken, "list-activity": noToken, "list-tokens": noToken,
	"create-token": noToken, "revoke-token": noToken, "list-connections": noToken, "connect-account": noToken, "keep-connection": noToken, "delete-connection": noToken,

	"list-audit": noToken, "list-all-entries": noToken, "curate-entry": noToken, "close-reports": noToken, "erase-entry": noToken,
	"get-overview": noToken, "get-health": noToken, "list-all-sessions": noToken, "stop-session": noToken,

	"search-public-resources": read, "list-resources": read, "list-landing": read, "find-resources": read, "find-public-resources": read,
	"list-tags": read, "get-resource": read, "get-person": read, "list-related": read, "get-header-image": read, "get-picture": read, "get-cover": read,
	"list-files": read, "get-file": read, "get-citation": read, "get-environment": read, "get-notebook": read, "download-notebook": read,
	"list-dataset-files": read, "preview-dataset-table": read, "preview-dataset-structure": read, "preview-dataset-text": read, "digest-dataset-file": read,
	"total-of-dataset": read, "download-dataset-file": read, "download-dataset": read, "get-star": read, "list-stars": read,
	"export-resource": read, "score-resource": read, "median-of-scores": noToken,

	"get-descriptor": write, "find-metadata": write, "find-doi": write, "add-repository": write, "sync-repository": write, "create-resource": write, "add-dataset": write, "add-notebook": write, "add-model": write, "update-resource": write,
	"leave-resource": write, "delete-resource": write, "report-entry": write, "toggle-star": write, "put-star": write, "delete-star": write,

	"list-entry-versions": read, "compare-entry-versions": read, "withdraw-entry-version": write, "renew-resource": write,
	"list-uploads": write, "create-upload": write, "get-upload": write, "continue-upload": write, "delete-upload": write, "describe-uploads": write,
	"get-upload-task": write, "cancel-upload-task": write, "describe-session": write, "publish-session": write,

	"list-archives": read, "begin-deposit": write, "list-deposits": write, "get-deposit": write, "discard-deposit": write, "publish-deposit": write, "retry-deposit": write,

	"list-projects": read, "list-shared-projects": read, "list-members": read, "list-projects-of": read, "get-project": read, "list-associated-projects": read,
	"create-project": write, "set-member": write, "remove-member": write, "transfer-project": write, "refuse-project": write, "change-project": write, "delete-project": write,

	"list-runs": read, "get-run": read, "get-run-notebook": read, "get-run-author": read, "get-run-log": read, "get-run-comparison": read,
	"get-run-crate": read, "get-run-citation": read, "start-run": run, "stop-run": run,

	"start-project": run, "start-session": run, "resume-session": run, "list-sessions": run, "forecast-launch": run, "list-profiles": run, "get-session": run,
	"get-session-log": run, "open-shell": run, "change-session": run, "delete-session": run, "delete-sessions": run, "download-work": run,
	"link-work": noToken, "end-session-access": noToken,

	"finish-notebook": run, "start-job": run, "list-jobs": run, "get-job": run, "delete-job": run, "undelete-job": run, "get-job-notebook": run,
	"get-job-log": run, "get-job-changes": run, "list-job-files": run, "download-job-files": run, "get-job-crate": run, "get-parameters": read,
	"get-session-parameters": run, "list-schedules": run, "get-schedule": run, "change-schedule": run, "delete-schedule": run,

	"share-session": run, "list-shares": run, "end-share": run, "list-shared-sessions": run, "follow-link": run, "see-session": run,
	"follow-session": noToken, "ask-for-share": run, "list-session-requests": run, "list-open-requests": run, "answer-request": run,

	"prepare-workshop": run, "list-workshops": run, "get-room": run, "get-workshop": run, "change-workshop": run, "delete-workshop": run,
	"list-workshops-of-events": read, "open-workshop": run, "renew-workshop": run, "extend-workshop": run, "end-workshop": run, "tell-workshop": run,
	"hand-out": run, "free-seat": run, "raise-hand": run, "lower-hand": run, "ask-seat": run, "get-board": run, "get-workshop-report": run,
	"get-workshop-csv": run, "show-workshop": read, "join-workshop": run, "link-workshop-work": noToken, "fetch-workshop-work": run,

	"list-versions": run, "save-version": run, "list-version-files": run, "compare-versions": run, "restore-version": run,
	"download-version": run, "download-version-file": run, "undelete-session": run, "link-version": noToken,
}

// guestCalls are the operations that guests of workshops may call, by their id; any other refuses them.
var guestCalls = map[string]bool{
	"get-config": true, "get-session": true, "join-workshop": true, "show-workshop": true, "fetch-workshop-work": true, "link-workshop-work": true,
	"raise-hand": true, "lower-hand": true,
}

// permit returns why the caller may not call an operation at all.
func permit(ctx context.Context, operation, scope string) error {
	if caller, _ := identity.From(ctx); caller.Guest {
		if guestCalls[operation] {
			return nil
		}
		return identity.PermitGuest(ctx)
	}
	return identity.Permit(ctx, identity.Scope(scope))
}
