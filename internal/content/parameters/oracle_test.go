package parameters

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// pythonOracle says of cells what Python assigns to names, and of values whether it has read what JSON says. A literal that
// JSON has no words for is given as null in "assigned".
const pythonOracle = `
import ast, json, sys, warnings
warnings.simplefilter("ignore")
def literal(node):
    if isinstance(node, (ast.List, ast.Tuple)):
        return [literal(each) for each in node.elts]
    if isinstance(node, ast.Dict):
        return {key(name): literal(each) for name, each in zip(node.keys, node.values)}
    found = ast.literal_eval(node)
    json.dumps(found, allow_nan=False, ensure_ascii=False).encode()
    return found
def key(node):
    found = literal(node)
    if not isinstance(found, str):
        raise ValueError
    return found
def same(a, b):
    if type(a) != type(b):
        return False
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(map(same, a.values(), b.values()))
    return a == b
for line in sys.stdin:
    question = json.loads(line)
    answer = {"readable": True, "assigned": {}, "wrong": []}
    try:
        body = ast.parse(question["code"]).body
    except Exception:
        body = []
        answer["readable"] = False
    answer["statements"] = len(body)
    values = {}
    for each in body:
        names = each.targets if isinstance(each, ast.Assign) else [each.target] if isinstance(each, ast.AnnAssign) else []
        if len(names) == 0 or not isinstance(names[0], ast.Name):
            continue
        name = names[0].id
        if len(names) > 1:
            answer["assigned"][name] = "code"
            continue
        values.pop(name, None)
        answer["assigned"][name] = "nothing" if each.value is None else "code"
        if each.value is not None:
            try:
                values[name] = literal(each.value)
                answer["assigned"][name] = "literal"
            except Exception:
                pass
    for name, wanted in question["values"].items():
        if name not in values or not same(values[name], wanted):
            answer["wrong"].append(name + ": " + ascii(values.get(name, "?"))[:1000])
    print(json.dumps(answer), flush=True)
`

// rOracle does the same with R. It evaluates c, list, setNames, character and - alone, of constants.
const rOracle = `
options(digits = 17, warn = -1)
constant <- function(e) {
  if (!is.call(e)) return(is.null(e) || (is.atomic(e) && length(e) == 1 && !is.na(e) && !is.complex(e) && (!is.numeric(e) || is.finite(e))))
  if (!is.symbol(e[[1]])) return(FALSE)
  f <- as.character(e[[1]])
  arguments <- as.list(e)[-1]
  if (any(vapply(arguments, function(a) identical(a, quote(expr = )), TRUE))) return(FALSE)
  if (f %in% c("-", "+")) return(length(arguments) == 1 && is.numeric(arguments[[1]]) && constant(arguments[[1]]))
  f %in% c("c", "list", "setNames", "character") && all(vapply(arguments, constant, TRUE))
}
same <- function(got, wanted) {
  if (is.null(wanted)) return(is.null(got))
  if (is.list(wanted)) {
    if (is.null(got)) return(length(wanted) == 0 && is.null(names(wanted)))
    if (length(got) != length(wanted) || !identical(names(got), names(wanted))) return(FALSE)
    for (i in seq_along(wanted)) if (!same(got[[i]], wanted[[i]])) return(FALSE)
    return(TRUE)
  }
  if (is.numeric(wanted)) return(is.numeric(got) && length(got) == 1 && isTRUE(all.equal(as.numeric(got), as.numeric(wanted), tolerance = 1e-14)))
  identical(got, wanted)
}
input <- file("stdin", "r", encoding = "UTF-8")
while (length(line <- readLines(input, n = 1)) > 0) {
  question <- jsonlite::fromJSON(line, simplifyVector = FALSE, bigint_as_char = FALSE)
  code <- tryCatch(parse(text = question$code, keep.source = FALSE, encoding = "UTF-8"), error = function(e) NULL)
  readable <- !is.null(code) || question$code == ""
  assigned <- list()
  values <- new.env()
  for (e in code) {
    if (!is.call(e) || !(identical(e[[1]], quote(` + "`<-`" + `)) || identical(e[[1]], quote(` + "`=`" + `))) || !is.symbol(e[[2]])) next
    name <- as.character(e[[2]])
    if (exists(name, values, inherits = FALSE)) rm(list = name, envir = values)
    assigned[[name]] <- "code"
    if (constant(e[[3]])) {
      assigned[[name]] <- "literal"
      assign(name, eval(e[[3]]), values)
    }
  }
  wrong <- character(0)
  for (name in names(question$values)) {
    got <- if (exists(name, values, inherits = FALSE)) get(name, values) else quote(missing)
    if (!same(got, question$values[[name]])) wrong <- c(wrong, paste0(name, ": ", paste(deparse(got), collapse = "")))
  }
  classes <- lapply(mget(ls(values, all.names = TRUE), values), function(v) class(v)[1])
  box <- function(l) if (length(l) == 0) setNames(list(), character(0)) else lapply(l, jsonlite::unbox)
  answer <- list(statements = jsonlite::unbox(length(code)), readable = jsonlite::unbox(readable), assigned = box(assigned), classes = box(classes), wrong = wrong)
  cat(jsonlite::toJSON(answer), "\n", sep = "")
  flush(stdout())
}
`

type answer struct {
	Readable   bool
	Statements int
	Assigned   map[string]string // literal, code, or nothing
	Classes    map[string]string // R
	Wrong      []string          // names whose values are others
}

// oracle is an interpreter that reads code and executes none of it.
type oracle func(code string, values map[string]json.RawMessage) answer

// startOracle starts the interpreter of a language. Where it is missing the test is skipped, except where everything must be
// installed.
func startOracle(t testing.TB, language string) oracle {
	t.Helper()
	program := exec.Command("/usr/bin/python3", "-I", "-c", pythonOracle)
	if language == languageR {
		program = exec.Command("Rscript", "--vanilla", "-e", rOracle)
		program.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	}
	if program.Err != nil && os.Getenv("CI") != "true" {
		t.Skip("R isn't installed")
	}
	if _, err := os.Stat(program.Path); err != nil && os.Getenv("CI") != "true" {
		t.Skip("Python isn't installed")
	}
	said := &strings.Builder{}
	program.Stderr = said
	questions, err := program.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	pipe, err := program.StdoutPipe()
	if err == nil {
		err = program.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = questions.Close(); _ = program.Wait() })
	answers := bufio.NewReader(pipe)
	return func(code string, values map[string]json.RawMessage) answer {
		var found answer
		question, err := json.Marshal(map[string]any{"code": code, "values": values})
		if err == nil {
			_, err = io.WriteString(questions, string(question)+"\n")
		}
		var line []byte
		if err == nil {
			line, err = answers.ReadBytes('\n')
		}
		if err == nil {
			err = json.Unmarshal(line, &found)
		}
		if err != nil {
			t.Fatalf("%s isn't responding to %q: %v %s", language, code, err, said)
		}
		return found
	}
}
