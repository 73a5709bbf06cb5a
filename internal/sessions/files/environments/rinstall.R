# Installs packages of R into a library, from a repository such as CRAN. What it can't install is left out. Arguments: the list of
# packages, a line each with the name, "exact" or "folded" for its capitals, and its conditions; the library; the repository; a folder for drafts.
arguments <- commandArgs(trailingOnly = TRUE)
library <- arguments[2]
drafts <- file.path(arguments[4], "src", "contrib")
asked <- strsplit(readLines(arguments[1]), "\t", fixed = TRUE)
options(timeout = 600, warn = 1, download.file.method = "libcurl", Ncpus = 2)
# The kernel starts with the new library, so what it needs itself must not become older.
have <- utils::installed.packages(noCache = TRUE)
needed <- unlist(tools::package_dependencies("IRkernel", db = have, recursive = TRUE))
.libPaths(c(library, .libPaths()))
contrib <- contrib.url(arguments[3], "source")

tell <- function(...) cat("cairn", ..., sep = "\t", fill = FALSE)
leave <- function(name, why) { tell("left", name, why); cat("\n") }

# It warns of each form of the list that the repository doesn't have, and of a repository that can't be reached.
current <- suppressWarnings(available.packages(contrib, filters = c("R_version", "OS_type", "subarch", "duplicates")))
if (nrow(current) == 0) stop("the repository has no packages")

# Reports whether a version fulfills conditions such as ">= 1.0".
fulfills <- function(version, conditions) all(vapply(conditions, function(one) {
  words <- strsplit(one, " ", fixed = TRUE)[[1]]
  want <- words[2]
  if (endsWith(want, ".*")) {
    want <- sub("\\.\\*$", "", want)
    parts <- unlist(package_version(version))
    version <- paste(head(parts, length(unlist(package_version(want)))), collapse = ".")
  }
  eval(call(words[1], package_version(version), package_version(want)))
}, logical(1)))

wanted <- character()
dir.create(drafts, recursive = TRUE)
for (one in asked) {
  name <- one[1]
  conditions <- one[-(1:2)]
  if (one[2] == "folded" && !name %in% rownames(current)) {
    same <- rownames(current)[tolower(rownames(current)) == tolower(name)]
    if (length(same) > 0) name <- same[1]
  }
  if (name %in% rownames(current) && fulfills(current[name, "Version"], conditions)) {
    wanted <- c(wanted, name)
  } else if (length(conditions) == 1 && grepl("^== [0-9.-]+$", conditions)) {
    # Earlier versions are beside the current ones.
    version <- sub("^== ", "", conditions)
    if (name %in% needed && package_version(version) < package_version(have[name, "Version"])) {
      leave(one[1], "kernel")
      next
    }
    file <- paste0(name, "_", version, ".tar.gz")
    code <- tryCatch(suppressWarnings(download.file(paste(contrib, "Archive", name, file, sep = "/"), file.path(drafts, file), quiet = TRUE)),
      error = function(problem) 1)
    if (code == 0) wanted <- c(wanted, name) else leave(one[1], if (name %in% rownames(current)) "version" else "absent")
  } else {
    leave(one[1], if (name %in% rownames(current)) "version" else "absent")
  }
}

if (length(wanted) > 0) {
  local <- paste0("file://", drafts)
  available <- current
  if (tools::write_PACKAGES(drafts, type = "source") > 0) {
    archived <- available.packages(local, filters = list())
    available <- rbind(archived, current[!rownames(current) %in% rownames(archived), , drop = FALSE])
  }
  install.packages(wanted, lib = library, contriburl = c(local, contrib), available = available, type = "source", dependencies = NA)
  there <- rownames(utils::installed.packages(library, noCache = TRUE))
  for (name in setdiff(wanted, there)) leave(name, "failed")
}
