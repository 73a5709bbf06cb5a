"""The cases of the corpus in R. Each has one cause; see make_r.py."""

all_cases = []


def case(want, name, cause, source, author="", run="", again=None, verdict=""):
    """Adds a case. What differs between its worlds is in the code that runs before."""
    all_cases.append(
        dict(want=want, name=name, cause=cause, source=source, author=author, run=run, again=again, verdict=verdict)
    )


def same(name, cause, verdict, source, author="", run="", again=None):
    case("same", name, cause, source, author, run, again, verdict)


def different(name, cause, source, author="", run=""):
    case("different", name, cause, source, author, run, verdict="DIFFERENT")


IDENTICAL, NEAR, VARIES = "IDENTICAL", "WITHIN_TOLERANCE", "VARIES"

# --- The same -------------------------------------------------------------------------------------------------------------

same("r-warning", "a warning of a newer version", IDENTICAL, "if (new) warning('use other() instead')\nmean(c(1, 2, 6))", "new <- FALSE", "new <- TRUE")
same("r-message", "what a package says when it is loaded", IDENTICAL, "message('Loading required package: ', name)\nmedian(c(1, 2, 6))", "name <- 'Matrix'", "name <- 'lattice'")
same("r-environment", "the address of an environment", IDENTICAL, "print(new.env())")
same("r-path", "the folder that the repository is in", IDENTICAL, "cat('reading', file.path(here, 'data', 'cells.csv'))", "here <- '/home/alice/cortex'", "here <- '/srv/runs/4711/repository'")
same("r-date", "the day of the run", IDENTICAL, "cat('Report of', format(day))", "day <- as.Date('2024-03-02')", "day <- Sys.Date()")
same("r-last-digits", "the last digits of numbers", NEAR, "print(sqrt(c(2, 3, 5)) * (1 + e), digits = 15)", "e <- 0", "e <- 3e-13")
same("r-frame-digits", "the last digits in a data frame", NEAR, "options(digits = 12)\ndata.frame(site = c('a', 'b'), mean = c(1.25, 3.5) * (1 + e) / 3)", "e <- 0", "e <- 1e-10")
same("r-plot", "nothing but another run of a plot", IDENTICAL, "plot(1:10, (1:10)^2, main = 'Growth', xlab = 'day', ylab = 'mass')")
same("r-drawn-numbers", "numbers that are drawn without a seed", VARIES, "rnorm(3)", again="")
same("r-drawn-plot", "a plot of numbers that are drawn without a seed", VARIES, "plot(rnorm(20), main = 'Noise')", again="")
same("r-svg-grid", "coordinates of a drawing that were rounded the other way", NEAR, "options(jupyter.plot_mimetypes = 'image/svg+xml')\nplot(1:12, sin(1:12) * c(1, rep(1 + e, 10), 1), ylim = c(-1, 1))", "e <- 0", "e <- 2e-5")
same("r-chunks", "the pieces in which text arrives", IDENTICAL, "for (i in 1:3) { cat('step', i, '\\n'); if (slow) flush.console() }", "slow <- FALSE", "slow <- TRUE")

# --- Different ------------------------------------------------------------------------------------------------------------

different("r-mean", "a mean", "mean(c(1, 2, x))", "x <- 6", "x <- 7")
different("r-frame-cell", "a cell of a data frame", "data.frame(site = c('a', 'b'), count = c(3, n))", "n <- 7", "n <- 9")
different("r-frame-row", "a row of a data frame that is missing", "head(data.frame(x = 1:5, y = (1:5)^2), n)", "n <- 4", "n <- 3")
different("r-frame-names", "the name of a column", "d <- data.frame(1:2, 3:4)\nnames(d) <- c('dose', name)\nd", "name <- 'mg'", "name <- 'g'")
different("r-fit", "a coefficient of a fit", "x <- 1:8\nround(coef(lm(x * slope + c(1, -1) ~ x)), 4)", "slope <- 2", "slope <- 2.05")
different("r-summary", "a number in a summary", "summary(c(2, 4, 8, largest))", "largest <- 16", "largest <- 18")
different("r-factor", "a level of a factor", "table(factor(c('a', 'b', last)))", "last <- 'b'", "last <- 'a'")
different("r-text", "a word", "cat('The null hypothesis is', word)", "word <- 'rejected'", "word <- 'kept'")
different("r-plot-point", "a point of a plot", "plot(1:5, c(1, 4, y, 16, 25), pch = 19)", "y <- 9", "y <- 13")
different("r-plot-title", "a title", "plot(1:5, main = title)", "title <- 'Control'", "title <- 'Treated'")
different("r-lost-plot", "a plot that is missing", "if (draw) plot(1:3)\ncat('done')", "draw <- TRUE", "draw <- FALSE")
different("r-svg-line", "a point of a drawing", "options(jupyter.plot_mimetypes = 'image/svg+xml')\nplot(1:3, c(1, y, 9), type = 'l')", "y <- 4", "y <- 5")
different("r-warning-gone", "a result that a warning took the place of", "as.numeric(x)", "x <- '12'", "x <- 'twelve'")
