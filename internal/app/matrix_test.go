package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"cairn/internal/app/config"
	"cairn/internal/app/transfer"
	"cairn/internal/entries/codehost"
	"cairn/internal/entries/projects"
	"cairn/internal/foundation/httpapi"
	"cairn/internal/foundation/sqldb"
	"cairn/internal/foundation/sqldb/sqldbtest"
	"cairn/internal/people/identity"
	"cairn/internal/people/idp"
	"cairn/internal/people/idp/idptest"
	"cairn/internal/sessions"
	"cairn/internal/sessions/engine"
	"cairn/internal/sessions/engine/fake"
	"cairn/internal/sessions/origin"
	"cairn/internal/sessions/sizes"
	"cairn/internal/sessions/wiring"
	"cairn/internal/site"
)

// The callers in the matrix, in the order of its columns.
var roles = []string{"anonymous", "bad token", "stranger", "author", "owner", "disabled", "operator"}

// matrixRow is one request and the status that each role gets.
type matrixRow struct {
	operation, method, path, body string
	want                          [7]int
}

// In paths and bodies, {private} and {public} are repositories of the author, {hidden} and {notebook} notebooks,
// {hiddenData} and {openData} datasets, {project} is the owner's (not published), {session} and {token} too.
var matrix = slices.Concat(matrixOfConnections, matrixOfContent, matrixOfJobs, matrixOfMembers, matrixOfShares, matrixOfSources, matrixOfWorkshops, []matrixRow{
	{"get-config", "GET", "/config", "", [7]int{200, 200, 200, 200, 200, 200, 200}},
	{"list-licenses", "GET", "/licenses", "", [7]int{200, 401, 200, 200, 200, 200, 200}},

	{"get-me", "GET", "/accounts/me", "", [7]int{401, 401, 200, 200, 200, 200, 200}},
	{"list-accounts", "GET", "/accounts", "", [7]int{401, 401, 403, 403, 403, 403, 200}},
	{"decide-account", "PATCH", "/accounts/new@example.org", `{"enabled":true}`, [7]int{401, 401, 403, 403, 403, 403, 200}},
	{"decide-account", "PATCH", "/accounts/operator@example.org", `{"role":"user"}`, [7]int{401, 401, 403, 403, 403, 403, 409}},

	{"list-activity", "GET", "/account/activity", "", [7]int{401, 401, 200, 200, 200, 200, 200}},
	{"list-tokens", "GET", "/account/tokens", "", [7]int{401, 401, 200, 200, 200, 200, 200}},
	{"create-token", "POST", "/account/tokens", `{"name":"Laptop","scopes":["read"]}`, [7]int{401, 401, 201, 201, 201, 403, 201}},
	{"create-token", "POST", "/account/tokens", `{"name":"Laptop","scopes":["read"],"expires":366}`, [7]int{401, 401, 422, 422, 422, 403, 422}},
	{"revoke-token", "DELETE", "/account/tokens/{token}", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"list-audit", "GET", "/operator/audit", "", [7]int{401, 401, 403, 403, 403, 403, 200}},
	{"list-audit", "GET", "/operator/audit?format=ndjson", "", [7]int{401, 401, 403, 403, 403, 403, 200}},
	{"list-audit", "GET", "/operator/audit?from=yesterday", "", [7]int{401, 401, 403, 403, 403, 403, 422}},

	{"search-public-resources", "GET", "/resources/public", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"list-resources", "GET", "/resources", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"list-landing", "GET", "/resources/landing", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"find-resources", "GET", "/resources/search", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"find-public-resources", "GET", "/resources/public/search", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"list-tags", "GET", "/resources/public/tags/all", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"get-resource", "GET", "/resources/public/{public}", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"get-resource", "GET", "/resources/public/{private}", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"get-person", "GET", "/people/the-public-author", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"get-person", "GET", "/people/the-private-author", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"export-resource", "GET", "/resources/public/{public}/export/jsonld", "", [7]int{200, 200, 200, 200, 200, 200, 200}},
	{"export-resource", "GET", "/resources/public/{public}/export/croissant", "", [7]int{404, 404, 404, 404, 404, 404, 404}},
	{"export-resource", "GET", "/resources/public/{private}/export/jsonld", "", [7]int{404, 404, 404, 404, 404, 404, 404}},
	{"score-resource", "GET", "/resources/public/{public}/fair", "", [7]int{200, 200, 200, 200, 200, 200, 200}},
	{"score-resource", "GET", "/resources/public/{private}/fair", "", [7]int{404, 404, 404, 404, 404, 404, 404}},
	{"median-of-scores", "GET", "/operator/fair", "", [7]int{401, 401, 403, 403, 403, 403, 200}},
	{"list-related", "GET", "/resources/public/{public}/related", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"list-related", "GET", "/resources/public/{private}/related", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"get-header-image", "GET", "/resources/public/{public}/header-image", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"get-header-image", "GET", "/resources/public/{private}/header-image", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"get-picture", "GET", "/resources/public/{public}/picture?address={picture}", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"get-picture", "GET", "/resources/public/{private}/picture?address={picture}", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"get-cover", "GET", "/resources/public/{public}/cover", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"get-cover", "GET", "/resources/public/{public}/cover?og=1", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"get-cover", "GET", "/resources/public/{private}/cover", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"get-cover", "GET", "/resources/public/{private}/cover?og=1", "", [7]int{404, 401, 404, 404, 404, 404, 404}},
	{"list-files", "GET", "/resources/public/{public}/files", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"list-files", "GET", "/resources/public/{private}/files", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"get-file", "GET", "/resources/public/{public}/file?path=a.txt", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"get-file", "GET", "/resources/public/{private}/file?path=a.txt", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"get-citation", "GET", "/resources/public/{public}/citation", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"get-citation", "GET", "/resources/public/{private}/citation", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"get-environment", "GET", "/resources/public/{public}/environment", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"get-environment", "GET", "/resources/public/{private}/environment", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"get-notebook", "GET", "/resources/public/{notebook}/notebook", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"get-notebook", "GET", "/resources/public/{hidden}/notebook", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"get-notebook", "GET", "/resources/public/{public}/notebook?path=n.ipynb", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"get-notebook", "GET", "/resources/public/{private}/notebook?path=n.ipynb", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"get-notebook", "GET", "/resources/public/{public}/notebook", "", [7]int{404, 401, 404, 404, 404, 404, 404}},
	{"list-dataset-files", "GET", "/resources/public/{openData}/dataset", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"list-dataset-files", "GET", "/resources/public/{hiddenData}/dataset", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"preview-dataset-table", "GET", "/resources/public/{openData}/dataset/table?path=a.csv", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"preview-dataset-table", "GET", "/resources/public/{hiddenData}/dataset/table?path=a.csv", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"preview-dataset-structure", "GET", "/resources/public/{openData}/dataset/structure?path=a.nc", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"preview-dataset-structure", "GET", "/resources/public/{hiddenData}/dataset/structure?path=a.nc", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"preview-dataset-text", "GET", "/resources/public/{openData}/dataset/text?path=README.md", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"preview-dataset-text", "GET", "/resources/public/{hiddenData}/dataset/text?path=README.md", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"download-dataset-file", "GET", "/resources/public/{openData}/dataset/file?path=a.csv", "", [7]int{401, 401, 200, 200, 200, 200, 200}},
	{"download-dataset-file", "GET", "/resources/public/{hiddenData}/dataset/file?path=a.csv", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"digest-dataset-file", "GET", "/resources/public/{openData}/dataset/digest?path=a.csv", "", [7]int{401, 401, 200, 200, 200, 200, 200}},
	{"digest-dataset-file", "GET", "/resources/public/{hiddenData}/dataset/digest?path=a.csv", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"total-of-dataset", "GET", "/resources/public/{openData}/dataset/total", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"total-of-dataset", "GET", "/resources/public/{hiddenData}/dataset/total", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"download-dataset", "GET", "/resources/public/{openData}/dataset.zip", "", [7]int{401, 401, 200, 200, 200, 200, 200}},
	{"download-dataset", "GET", "/resources/public/{hiddenData}/dataset.zip", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"download-notebook", "GET", "/resources/public/{notebook}/notebook/file", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"download-notebook", "GET", "/resources/public/{hidden}/notebook/file", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"download-notebook", "GET", "/resources/public/{private}/notebook/file?path=n.ipynb", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"get-descriptor", "GET", "/codehost/descriptor?githubUrl=https://github.com/o/new", "", [7]int{401, 401, 200, 200, 200, 200, 200}},
	{"get-descriptor", "GET", "/codehost/descriptor?githubUrl=https://github.com/o/absent", "", [7]int{401, 401, 404, 404, 404, 404, 404}},
	{"add-repository", "POST", "/resources/repository?githubUrl=https://github.com/o/new", "{}", [7]int{401, 401, 403, 201, 403, 403, 403}},
	{"sync-repository", "PATCH", "/resources/repository", `{"id":"{public}"}`, [7]int{401, 401, 403, 200, 403, 403, 403}},
	{"sync-repository", "PATCH", "/resources/repository", `{"id":"{private}"}`, [7]int{401, 401, 404, 200, 404, 403, 404}},
	{"get-star", "GET", "/resources/{private}/star", "", [7]int{401, 401, 404, 200, 404, 404, 404}},
	{"toggle-star", "POST", "/resources/{private}/star", "", [7]int{401, 401, 404, 200, 404, 403, 404}},
	{"put-star", "PUT", "/resources/{private}/star", "", [7]int{401, 401, 404, 200, 404, 403, 404}},
	{"delete-star", "DELETE", "/resources/{private}/star", "", [7]int{401, 401, 404, 200, 404, 403, 404}},
	{"list-stars", "GET", "/resources/owner@example.org/stars", "", [7]int{401, 401, 403, 403, 200, 403, 403}},
	{"leave-resource", "DELETE", "/resources/{public}/authors/me", "", [7]int{401, 401, 403, 409, 403, 403, 403}},
	{"leave-resource", "DELETE", "/resources/{private}/authors/me", "", [7]int{401, 401, 404, 409, 404, 404, 404}},
	{"delete-resource", "DELETE", "/resources/{public}", "", [7]int{401, 401, 403, 200, 404, 404, 404}},
	{"delete-resource", "DELETE", "/resources/{private}", "", [7]int{401, 401, 404, 200, 404, 404, 404}},
	{"find-metadata", "GET", "/codehost/metadata?address=https://github.com/no/where&doi=10.5281/zenodo.1", "", [7]int{401, 401, 200, 200, 200, 200, 200}},
	{"create-resource", "POST", "/resources", `{"type":"MODEL","name":"New","applicationInterfaceId":"m"}`, [7]int{401, 401, 201, 201, 201, 403, 201}},
	{"create-resource", "POST", "/resources", `{"type":"DATASET","name":"New","datasetUrl":"folder"}`, [7]int{401, 401, 403, 403, 403, 403, 201}},
	{"add-dataset", "POST", "/resources/dataset", `{"name":"New","datasetUrl":"https://example.org/a.csv","tags":[{"name":"md"}],"status":"VERIFIED"}`, [7]int{401, 401, 201, 201, 201, 403, 201}},
	{"add-dataset", "POST", "/resources/dataset", `{"name":"New","datasetUrl":"folder"}`, [7]int{401, 401, 403, 403, 403, 403, 201}},
	{"add-notebook", "POST", "/resources/notebook", `{"name":"New","notebookPath":"https://example.org/a.ipynb"}`, [7]int{401, 401, 201, 201, 201, 403, 201}},
	{"add-notebook", "POST", "/resources/notebook", `{"name":"New","notebookPath":"bundled:a.ipynb"}`, [7]int{401, 401, 403, 403, 403, 403, 201}},
	{"add-model", "POST", "/resources/model", `{"name":"New","applicationInterfaceId":"m"}`, [7]int{401, 401, 201, 201, 201, 403, 201}},
	{"update-resource", "PATCH", "/resources/{openData}", `{"name":"New","updatedAt":"{updated}"}`, [7]int{401, 401, 403, 200, 403, 403, 403}},
	{"update-resource", "PATCH", "/resources/{private}", `{"name":"New","updatedAt":"{updated}"}`, [7]int{401, 401, 404, 409, 404, 403, 404}},

	{"get-overview", "GET", "/operator/overview", "", [7]int{401, 401, 403, 403, 403, 403, 200}},
	{"get-health", "GET", "/operator/health", "", [7]int{401, 401, 403, 403, 403, 403, 200}},
	{"list-all-entries", "GET", "/operator/entries?q=a&state=new,reported,hidden", "", [7]int{401, 401, 403, 403, 403, 403, 200}},
	{"curate-entry", "PATCH", "/operator/entries/{public}", `{"hidden":true,"reason":"Spam."}`, [7]int{401, 401, 403, 403, 403, 403, 200}},
	{"curate-entry", "PATCH", "/operator/entries/{private}", `{"status":"VERIFIED"}`, [7]int{401, 401, 403, 403, 403, 403, 409}},
	{"close-reports", "DELETE", "/operator/entries/{public}/reports", "", [7]int{401, 401, 403, 403, 403, 403, 200}},
	{"report-entry", "POST", "/resources/{public}/reports", `{"reason":"Not data."}`, [7]int{401, 401, 202, 202, 202, 202, 202}},
	{"report-entry", "POST", "/resources/{private}/reports", `{"reason":"Not data."}`, [7]int{401, 401, 404, 202, 404, 404, 404}},
	{"erase-entry", "DELETE", "/operator/entries/{public}", "", [7]int{401, 401, 403, 403, 403, 403, 409}},

	{"list-runs", "GET", "/resources/public/{public}/runs", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"list-runs", "GET", "/resources/public/{private}/runs", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"get-run", "GET", "/resources/public/{public}/runs/{run}", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"get-run", "GET", "/resources/public/{private}/runs/{privateRun}", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"get-run", "GET", "/resources/public/{public}/runs/{privateRun}", "", [7]int{404, 401, 404, 404, 404, 404, 404}},
	{"get-run-notebook", "GET", "/resources/public/{public}/runs/{run}/notebook", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"get-run-notebook", "GET", "/resources/public/{private}/runs/{privateRun}/notebook", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"get-run-author", "GET", "/resources/public/{public}/runs/{run}/author", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"get-run-author", "GET", "/resources/public/{public}/runs/{privateRun}/author", "", [7]int{404, 401, 404, 404, 404, 404, 404}},
	{"get-run-log", "GET", "/resources/public/{public}/runs/{run}/log", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"get-run-log", "GET", "/resources/public/{private}/runs/{privateRun}/log", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"get-run-comparison", "GET", "/resources/public/{public}/runs/{run}/comparison", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"get-run-comparison", "GET", "/resources/public/{private}/runs/{privateRun}/comparison", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"get-run-citation", "GET", "/resources/public/{public}/runs/{run}/citation", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"get-run-citation", "GET", "/resources/public/{private}/runs/{privateRun}/citation", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"get-run-citation", "GET", "/resources/public/{public}/runs/{privateRun}/citation", "", [7]int{404, 401, 404, 404, 404, 404, 404}},
	{"get-run-crate", "GET", "/resources/public/{public}/runs/{endedRun}/crate.zip", "", [7]int{200, 401, 200, 200, 200, 200, 200}},
	{"get-run-crate", "GET", "/resources/public/{private}/runs/{privateEndedRun}/crate.zip", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"get-run-crate", "GET", "/resources/public/{public}/runs/{privateEndedRun}/crate.zip", "", [7]int{404, 401, 404, 404, 404, 404, 404}},
	{"get-run-crate", "GET", "/resources/public/{public}/runs/{run}/crate.zip", "", [7]int{404, 401, 404, 404, 404, 404, 404}},
	{"start-run", "POST", "/resources/{public}/runs", "{}", [7]int{401, 401, 403, 202, 403, 403, 202}},
	{"start-run", "POST", "/resources/{private}/runs", "{}", [7]int{401, 401, 404, 422, 404, 404, 404}},
	{"stop-run", "DELETE", "/resources/{public}/runs/{run}", "", [7]int{401, 401, 403, 200, 403, 403, 200}},
	{"stop-run", "DELETE", "/resources/{private}/runs/{privateRun}", "", [7]int{401, 401, 404, 200, 404, 404, 404}},

	{"list-projects", "GET", "/projects", "", [7]int{401, 401, 200, 200, 200, 200, 200}},
	{"list-projects-of", "GET", "/projects/owner@example.org", "", [7]int{401, 401, 403, 403, 200, 403, 403}},
	{"get-project", "GET", "/projects/public/{project}", "", [7]int{404, 401, 404, 404, 200, 404, 404}},
	{"create-project", "POST", "/projects", `{"name":"New","repositoryId":"{public}"}`, [7]int{401, 401, 201, 201, 201, 201, 201}},
	{"create-project", "POST", "/projects", `{"name":"New","repositoryId":"{private}"}`, [7]int{401, 401, 422, 201, 422, 422, 422}},
	{"create-project", "POST", "/projects", `{"name":"New","repositoryId":"{public}","ownerId":"OWNER@example.org"}`, [7]int{401, 401, 403, 403, 201, 403, 403}},
	{"change-project", "PATCH", "/projects/{project}", `{"name":"Changed","datasetIds":[]}`, [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"change-project", "PATCH", "/projects/{project}", `{"name":" "}`, [7]int{401, 401, 404, 404, 422, 404, 404}},
	{"change-project", "PATCH", "/projects/{project}", `{"datasetIds":["{hiddenData}"]}`, [7]int{401, 401, 404, 404, 422, 404, 404}},
	{"delete-project", "DELETE", "/projects/{project}", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"list-associated-projects", "GET", "/resources/public/{private}/projects", "", [7]int{404, 401, 404, 200, 404, 404, 404}},
	{"list-associated-projects", "GET", "/resources/public/{public}/projects", "", [7]int{200, 401, 200, 200, 200, 200, 200}},

	{"start-project", "GET", "/hub/start/project/{project}?sessionName=matrix", "", [7]int{401, 401, 404, 404, 200, 403, 404}},
	{"start-session", "POST", "/sessions", `{"resourceId":"{public}"}`, [7]int{401, 401, 201, 201, 201, 403, 201}},
	{"start-session", "POST", "/sessions/", `{"resourceId":"{private}"}`, [7]int{401, 401, 404, 201, 404, 403, 404}},
	{"start-session", "POST", "/sessions", `{"resourceId":"{notebook}"}`, [7]int{401, 401, 201, 201, 201, 403, 201}},
	{"start-session", "POST", "/sessions", `{"resourceId":"{hidden}"}`, [7]int{401, 401, 404, 201, 404, 403, 404}},
	{"start-session", "POST", "/sessions", `{"resourceId":"{hiddenData}"}`, [7]int{401, 401, 404, 201, 404, 403, 404}},
	{"start-session", "POST", "/sessions", `{"projectId":"{project}"}`, [7]int{401, 401, 404, 404, 201, 403, 404}},
	{"resume-session", "GET", "/hub/resume/session/{session}", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"list-sessions", "GET", "/sessions", "", [7]int{401, 401, 200, 200, 200, 200, 200}},
	{"list-profiles", "GET", "/sessions/profiles", "", [7]int{401, 401, 200, 200, 200, 200, 200}},
	{"forecast-launch", "GET", "/sessions/forecast", "", [7]int{401, 401, 200, 200, 200, 200, 200}},
	{"download-work", "GET", "/sessions/{session}/work.zip", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"get-session", "GET", "/sessions/{session}", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"link-work", "POST", "/sessions/{session}/work-link", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"open-shell", "POST", "/sessions/{session}/ssh", "", [7]int{401, 401, 404, 404, 201, 404, 404}},
	{"get-session-log", "GET", "/sessions/{session}/log", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"list-versions", "GET", "/sessions/{session}/versions", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"save-version", "POST", "/sessions/{session}/versions", `{"name":"Before the talk"}`, [7]int{401, 401, 404, 404, 201, 404, 404}},
	{"list-version-files", "GET", "/sessions/{session}/versions/{version}/files", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"download-version-file", "GET", "/sessions/{session}/versions/{version}/file?path=notes.txt", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"download-version", "GET", "/sessions/{session}/versions/{version}.zip", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"link-version", "POST", "/sessions/{session}/versions/{version}/link", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"compare-versions", "GET", "/sessions/{session}/versions/{version}/diff?path=notes.txt", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"restore-version", "POST", "/sessions/{session}/versions/{version}/restore", `{"path":"notes.txt","into":"beside"}`, [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"undelete-session", "POST", "/sessions/{deletedSession}/undelete", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"change-session", "PATCH", "/sessions/{session}?status=TERMINATED", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"delete-session", "DELETE", "/sessions/{session}", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"delete-sessions", "DELETE", "/sessions/delete/{session}", "", [7]int{401, 401, 404, 404, 200, 404, 404}},
	{"list-all-sessions", "GET", "/operator/sessions", "", [7]int{401, 401, 403, 403, 403, 403, 200}},
	{"stop-session", "PATCH", "/operator/sessions/{session}?status=TERMINATED", `{"reason":"The machine is moved."}`, [7]int{401, 401, 403, 403, 403, 403, 200}},
	{"end-session-access", "DELETE", "/sessions/access", "", [7]int{401, 401, 200, 200, 200, 200, 200}},
})

// TestMatrixOfRights checks every operation of the API document with every role, against missing object checks
// (GHSA-xr38-w74q-r8jv, CVE-2023-32321, CVE-2023-27578, CVE-2024-42351). An operation without a row fails.
func TestMatrixOfRights(t *testing.T) {
	covered := map[string]bool{}
	for _, row := range matrix {
		covered[row.operation] = true
		t.Run(row.method+" "+row.path+" "+row.body, func(t *testing.T) {
			t.Parallel()
			world := newMatrixWorld(t)
			for i, role := range roles {
				status, body := world.request(role, row)
				if status != row.want[i] {
					t.Errorf("%s: %d, want %d: %s", role, status, row.want[i], body)
				}
				if secret := "A private entry"; status >= http.StatusBadRequest && strings.Contains(body, secret) {
					t.Errorf("%s: the refusal tells the name of what is hidden: %s", role, body)
				}
			}
		})
	}
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string           `json:"operationId"`
			Security    []map[string]any `json:"security"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(Document(), &document); err != nil {
		t.Fatal(err)
	}
	for path, methods := range document.Paths {
		for method, operation := range methods {
			if !covered[operation.OperationID] {
				t.Errorf("%s %s (%s) has no row in the matrix of rights", method, path, operation.OperationID)
			}
		}
	}
}

type matrixWorld struct {
	t            *testing.T
	program      *program
	parts        features
	mux          *http.ServeMux
	db           *sqldb.DB
	root         string // of the data
	server       *httptest.Server
	tokens       map[string]string
	ids, content *strings.Replacer // content is of uploads and versions, once a row needs some
	last         string            // the id of the last request
	shared       string            // the id of an entry with two authors, in tests that add one
}

func newMatrixWorld(t *testing.T) *matrixWorld {
	t.Helper()
	return newMatrixWorldOn(t, sqldbtest.SQLite(t, time.Now))
}

func newMatrixWorldOn(t *testing.T, db *sqldb.DB) *matrixWorld {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	server := httptest.NewUnstartedServer(nil)
	t.Cleanup(func() { server.Close(); cancel() })
	issuer := "http://" + server.Listener.Addr().String() + config.EmbeddedProviderPath
	logger := slog.New(slog.NewTextHandler(t.Output(), nil))

	options := idp.Options{Issuer: issuer, ClientID: "data-catalog-portal", ChooseAccount: true, Dir: filepath.Join(t.TempDir(), "idp"), Logger: logger}
	idptest.Folder(t, options.Dir)
	var grants []identity.Grant
	for _, role := range roles[2:] {
		email := role + "@example.org"
		options.Accounts = append(options.Accounts, idp.Account{Email: email, Name: role})
		grant := identity.Grant{Email: email, Enabled: role != "disabled", Role: identity.RoleUser}
		if role == "operator" {
			grant.Role = identity.RoleOperator
		}
		grants = append(grants, grant)
	}
	provider, err := idp.New(options)
	if err != nil {
		t.Fatal(err)
	}
	store := identity.NewStore(db)
	if err := store.Decide(ctx, grants, false); err != nil {
		t.Fatal(err)
	}
	picture := "http://" + server.Listener.Addr().String() + "/picture"
	if err := transfer.ImportOnce(ctx, db, strings.NewReader(strings.ReplaceAll(matrixCatalog, "IMAGE", picture))); err != nil {
		t.Fatal(err)
	}

	p := &program{db: db, logger: logger, config: config.Default(), issuer: issuer, metrics: newMetrics(config.Default(), "1")}
	if p.site, err = site.Open(""); err != nil {
		t.Fatal(err)
	}
	repository := func(privacy string) fstest.MapFS {
		descriptor := "project: {name: A " + strings.ToLower(privacy) + " entry, description: A text, authors: [author@example.org], privacy: " + privacy + "}"
		return fstest.MapFS{
			"a.txt": {Data: []byte("text")}, "n.ipynb": {Data: []byte(`{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[]}`)},
			"cairn.yml": {Data: []byte(descriptor)},
		}
	}
	hosts := codehost.NewHosts(map[string]codehost.Host{"github.com": codehost.Bundled{
		"o/public": repository("PUBLIC"), "o/private": repository("PRIVATE"), "o/new": repository("PUBLIC"),
	}}, nil)
	address, err := origin.ParseAddressTemplate("http://{kind}-{id}.localhost:8081", "127.0.0.1:8080")
	if err != nil {
		t.Fatal(err)
	}
	p.address, p.publicURL, p.config.Data = address, "http://127.0.0.1:8080", t.TempDir()
	p.config.Outgoing.Allow, p.config.Together.Workshops.Hosts = []string{"127.0.0.0/8"}, []string{"owner@example.org"}
	p.config.Datasets, p.config.Keeping.Sources = config.Default().Datasets, sourcesOf()
	root := rootWith(t, "data")
	parts, err := p.openEntries(ctx, sources{demoDir: "demo", root: root}, hosts, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, closeOne := range p.close {
		t.Cleanup(func() { _ = closeOne() })
	}
	parts.connections = connectionsOf(t, p, hosts)
	parts.accounts = p.identityService(store, &http.Client{Timeout: time.Minute})
	machine := fake.NewStore(func(engine.Spec) fake.Outcome { return fake.Outcome{Ready: true} }, func(string) http.Handler { return http.HandlerFunc(serveFinish) }, time.Now)
	p.engines = []sizes.Engine{{Engine: fake.New(machine), Name: "fake", Label: "Fake", Local: true}}
	parts.projects = projects.NewService(projects.NewStore(db), parts.entries)
	parts.related = p.relatedEntries(parts)
	parts.sessions = wiring.New(db, parts.accounts, wiring.Options{
		Engines: sizes.Engines{All: p.engines}, Limit: 10, Address: address, Public: "http://127.0.0.1:8080",
		Resolver: &sessions.Resolver{Entries: parts.entries, Versions: parts.entries.Versions(), Projects: parts.projects, Notebooks: parts.previews.Notebooks, Sources: sources{}},
		Now:      time.Now, Logger: logger, Counter: p.metrics, Product: p.product,
	})
	parts.workshops = p.newWorkshops(parts, sources{})
	go parts.sessions.Run(ctx)
	if err := p.connectLate(&parts); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/picture", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "GIF89a\x01\x00\x01\x00\x00\x00\x00;")
	})
	mux.Handle("/api/", newAPI(p, parts).Handler())
	mux.Handle(config.EmbeddedProviderPath+"/", provider.Handler())
	server.Config.Handler = httpapi.Observe(slog.New(slog.DiscardHandler), time.Now, p.metrics, httpapi.NameRoutes(mux))
	server.Start()
	world := &matrixWorld{t: t, program: p, parts: parts, mux: mux, db: db, root: root, server: server, tokens: map[string]string{"bad token": "not.a.token"}}
	for _, account := range options.Accounts {
		token, err := provider.AccessToken(account.Email, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		world.tokens[account.Name] = token
	}
	project := world.first("owner", "/projects").ID
	world.ids = strings.NewReplacer("{project}", project)
	_, started := world.request("owner", matrixRow{method: "GET", path: "/hub/start/project/{project}?sessionName=first"})
	var answer, gone struct{ SessionID string }
	if err := json.Unmarshal([]byte(started), &answer); err != nil || answer.SessionID == "" {
		t.Fatalf("no session was started: %s", started)
	}
	_, made := world.request("owner", matrixRow{method: "POST", path: "/account/tokens", body: `{"name":"Laptop","scopes":["read"]}`})
	var token identity.AccessToken
	if err := json.Unmarshal([]byte(made), &token); err != nil || token.ID == "" {
		t.Fatalf("no token was created: %s", made)
	}
	version := ""
	for deadline := time.After(time.Minute); version == ""; { // until the session is launched
		machine.Put(answer.SessionID, "notes.txt", "one")
		machine.Put(answer.SessionID, "first.ipynb", emptyNotebook)
		if machine.Work(answer.SessionID, "notes.txt") == "one" {
			made, err := p.engines[0].Engine.(*fake.Engine).SaveVersion(ctx, answer.SessionID, "first")
			if err != nil {
				t.Fatal(err)
			}
			version = made.ID
		}
		select {
		case <-deadline:
			t.Fatal("the session has no versions")
		case <-time.After(5 * time.Millisecond): // a thousand tests look for theirs at the same time
		}
	}
	_, started = world.request("owner", matrixRow{method: "GET", path: "/hub/start/project/{project}?sessionName=deleted"})
	if err := json.Unmarshal([]byte(started), &gone); err != nil || gone.SessionID == "" {
		t.Fatalf("no session was started: %v %s", err, started)
	}
	if status, text := world.request("owner", matrixRow{method: "DELETE", path: "/sessions/" + gone.SessionID}); status != http.StatusOK {
		t.Fatalf("no session was deleted: %d %s", status, text)
	}
	names := slices.Concat(world.addJobs(answer.SessionID), world.addMembers(project), world.addShares(answer.SessionID), world.addWorkshops())
	openData := world.first("author", "/resources/search?name=open+data")
	world.ids = strings.NewReplacer(append(names,
		"{project}", project, "{session}", answer.SessionID, "{version}", version, "{deletedSession}", gone.SessionID, "{token}", token.ID, "{picture}", picture,
		"{public}", world.first("author", "/resources/search?name=public").ID,
		"{private}", world.first("author", "/resources/search?type=REPOSITORY&name=private").ID,
		"{notebook}", world.first("author", "/resources/search?name=everybody").ID,
		"{hidden}", world.first("author", "/resources/search?type=NOTEBOOK&name=hidden").ID,
		"{hiddenData}", world.first("author", "/resources/search?name=hidden+data").ID,
		"{openData}", openData.ID, "{updated}", openData.UpdatedAt, "{run}", addRun(t, p, "public").ID, "{privateRun}", addRun(t, p, "private").ID,
		"{endedRun}", end(t, p, addRun(t, p, "public")), "{privateEndedRun}", end(t, p, addRun(t, p, "private")))...)
	return world
}

// request sends a row's request as a role and returns status and body.
func (w *matrixWorld) request(role string, row matrixRow) (int, string) {
	w.t.Helper()
	path, body := w.withContent(row)
	if w.ids != nil {
		path, body = w.ids.Replace(path), w.ids.Replace(body)
	}
	path = strings.ReplaceAll(path, "{shared}", w.shared)
	request, err := http.NewRequestWithContext(w.t.Context(), row.method, w.server.URL+"/api/v1/rf"+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	// A header that other gateways trusted: it must change nothing.
	request.Header.Set("X-Claims", `{"userName":"author@example.org","gatewayID":"default"}`)
	if token := w.tokens[role]; token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := w.server.Client().Do(request)
	if err != nil {
		w.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	w.last = response.Header.Get("X-Request-Id")
	return response.StatusCode, string(text)
}

// listed is an entry or a project of a list.
type listed struct{ ID, UpdatedAt string }

// first returns the first element of the list at a path.
func (w *matrixWorld) first(role, path string) listed {
	w.t.Helper()
	_, body := w.request(role, matrixRow{method: "GET", path: path})
	var list []listed
	if err := json.Unmarshal([]byte(body), &list); err != nil || len(list) == 0 {
		w.t.Fatalf("%s: no list: %v %s", path, err, body)
	}
	return list[0]
}

// rootWith creates a data root with one folder.
func rootWith(t testing.TB, folder string) string {
	t.Helper()
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, folder), 0o750); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a.csv": "time,A private entry\n1,2\n", "README.md": "# A private entry\n", "a.nc": "CDF\x01" + strings.Repeat("\x00", 28)} {
		if err := os.WriteFile(filepath.Join(root, folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

var matrixCatalog = fmt.Sprint(
	`{"kind":"resource","externalId":"public","type":"REPOSITORY","name":"A public entry","authors":["author@example.org"],"people":[{"name":"The public author","email":"author@example.org"}],"privacy":"PUBLIC","description":"![](IMAGE)","headerImage":"IMAGE","repositoryUrl":"https://github.com/o/public"}`, "\n",
	`{"kind":"resource","externalId":"private","type":"REPOSITORY","name":"A private entry","authors":["author@example.org"],"people":[{"name":"The private author","email":"author@example.org"}],"privacy":"PRIVATE","description":"![](IMAGE)","headerImage":"IMAGE","repositoryUrl":"https://github.com/o/private"}`, "\n",
	`{"kind":"resource","externalId":"notebook","type":"NOTEBOOK","name":"For everybody","authors":["author@example.org"],"privacy":"PUBLIC","notebookPath":"bundled:random-walk-diffusion.ipynb"}`, "\n",
	`{"kind":"resource","externalId":"hidden","type":"NOTEBOOK","name":"A private entry, hidden","authors":["author@example.org"],"privacy":"PRIVATE","notebookPath":"bundled:random-walk-diffusion.ipynb"}`, "\n",
	`{"kind":"resource","externalId":"open","type":"DATASET","name":"Open data","authors":["author@example.org"],"privacy":"PUBLIC","datasetUrl":"data"}`, "\n",
	`{"kind":"resource","externalId":"hiddenData","type":"DATASET","name":"Hidden data","authors":["author@example.org"],"privacy":"PRIVATE","datasetUrl":"data"}`, "\n",
	`{"kind":"project","externalId":"project","name":"A project of the owner","ownerId":"owner@example.org","repository":"public"}`, "\n",
)
