"""The cases of the corpus. Each has one cause; see make.py."""

import nbformat

all_cases = []


def case(want, name, cause, source, author="", run="", again=None, verdict="", tags=(), **edit):
    """Adds a case. The edits of a world (author_edit=..., run_edit=...) get its notebook and may return another one."""
    all_cases.append(
        dict(
            want=want, name=name, cause=cause, source=source, author=author, run=run, again=again, verdict=verdict,
            tags=list(tags), edit={key.removesuffix("_edit"): change for key, change in edit.items()},
        )
    )


def same(name, cause, verdict, source, author="", run="", **more):
    case("same", name, cause, source, author, run, verdict=verdict, **more)


def different(name, cause, source, author="", run="", **more):
    case("different", name, cause, source, author, run, **({"verdict": "DIFFERENT"} | more))


IDENTICAL, NEAR, LOOKS, VARIES, NOTHING = "IDENTICAL", "WITHIN_TOLERANCE", "LOOKS_THE_SAME", "VARIES", "NOTHING_TO_COMPARE"

# --- The same: text -------------------------------------------------------------------------------------------------------

same("stream-chunks", "the pieces in which a stream arrives", IDENTICAL, "for i in range(4):\n    print('step', i)",
     "import functools, builtins\nprint = functools.partial(builtins.print, flush=True)", "")
same("carriage-returns", "how often a progress line was written", IDENTICAL,
     "for i in range(0, 101, step):\n    print(f'\\rprogress {i:3d} %', end='')\nprint()", "step = 10", "step = 25")
same("backspaces", "a spinner that erases itself", IDENTICAL,
     "print('working ', end='')\nfor i in range(turns):\n    print('|/-'[i % 3] + '\\b', end='')\nprint('done')", "turns = 5", "turns = 3")
same("progress-bar", "the rate in a progress bar on standard output", IDENTICAL,
     "print(f'100%|██████████| 50/50 [00:0{s}<00:00, {50/s:.2f}it/s]')\nprint('fitted 50 models')", "s = 1", "s = 3")
same("warning-on-stderr", "a warning on standard error", IDENTICAL,
     "import sys\nif new: print('FutureWarning: use other()', file=sys.stderr)\nprint('mean', 4.5)", "new = False", "new = True")
same("address-of-object", "the address of an object", IDENTICAL, "class Model: pass\nprint(model := Model()); model",
     "spare = [object() for _ in range(1000)]", "spare = []")
same("address-of-lambda", "the addresses of functions in a list", IDENTICAL, "{'f': lambda x: x, 'g': lambda x: x + 1}")
same("path-of-work", "the folder that the repository is in", IDENTICAL, "import os\nprint('reading', os.path.join(here, 'data', 'cells.csv'))",
     "here = '/home/alice/projects/cortex'", "here = '/srv/runs/4711/repository'")
same("path-of-home", "the home folder", IDENTICAL, "print(f'cache: {home}/.cache/atlas')", "home = '/Users/bob'", "home = '/home/runner'")
same("path-of-package", "the folder of a package", IDENTICAL, "print(where)",
     "where = '/opt/conda/lib/python3.9/site-packages/numpy/__init__.py'", "where = '/usr/lib/python3/dist-packages/numpy/__init__.py'")
same("path-on-windows", "the author's system", IDENTICAL, "print('wrote', where)", r"where = r'C:\Users\eve\work\out.csv'", "where = '/home/runner/out.csv'")
same("temporary-folder", "the name of a temporary folder", IDENTICAL, "import tempfile\nprint(tempfile.mkdtemp() + '/table.csv')")
same("date-of-run", "the day of the run", IDENTICAL, "print('Report of', today)",
     "today = '2024-03-02'", "import datetime\ntoday = datetime.date.today().isoformat()")
same("date-in-words", "the time of the run in words", IDENTICAL, "print('Created', when)",
     "when = 'Sat Mar  2 10:11:12 2024'", "import time\nwhen = time.ctime()")
same("date-of-summary", "the date in a statistical summary", IDENTICAL,
     "print(f'Method: Least Squares   R-squared: 0.716\\nDate: {day}   Prob: 1.2e-05\\nTime: {clock}   Log-Likelihood: -38.1')",
     "day, clock = 'Sat, 02 Mar 2024', '10:11:12'", "import time\nday, clock = time.strftime('%a, %d %b %Y'), time.strftime('%H:%M:%S')")
same("log-lines", "the times of log lines", IDENTICAL, "print(f'{when},123 INFO loaded 20 rows')",
     "when = '2024-03-02 10:11:12'", "import time\nwhen = time.strftime('%Y-%m-%d %H:%M:%S')")
same("time-of-cell", "what %%time says", IDENTICAL, "%%time\nprint(sum(range(n)))", "n = 1000", "n = 1000; spare = list(range(10**6))")
same("timeit", "what %timeit says", IDENTICAL, "%timeit -n 10 -r 2 sum(range(n))\nprint(n)", "n = 1000", "n = 1000")
same("elapsed", "how long a step took", IDENTICAL, "print(f'Fitting finished in {s} seconds')", "s = 3.21", "s = 11.7")
same("uuid", "a random identifier", IDENTICAL, "import uuid\nprint('run', uuid.uuid4())")
same("ansi-colors", "colors of a terminal", IDENTICAL, "print(f'{on}ok{off} 12 tests')", "on, off = '\\x1b[1;32m', '\\x1b[0m'", "on = off = ''")
same("kernel-path", "the file that the kernel gives a cell", IDENTICAL, "print(where + ': note: default changed')",
     "where = '/tmp/ipykernel_812/3311871.py:3'", "where = '/tmp/ipykernel_9/77120.py:3'")
same("white-space-at-ends", "white space at the ends of lines", IDENTICAL, "print('a  b' + end)\nprint('c' + end)", "end = '  '", "end = '\\r'")

# --- The same: order, counts, formats -------------------------------------------------------------------------------------


def count(number):
    def edit(nb):
        nb.cells[0].execution_count = number
        for output in nb.cells[0].outputs:
            if "execution_count" in output:
                output.execution_count = number
    return edit


def swapped(nb):
    nb.cells[0].outputs.reverse()


def older(minor):
    def edit(nb):
        nb.nbformat_minor = minor
        for cell in nb.cells:
            cell.pop("id", None)
    return edit


def injected(nb):
    nb.cells.insert(0, nbformat.v4.new_code_cell("alpha = 0.1", metadata={"tags": ["injected-parameters"]}, execution_count=1))
    older(4)(nb)


def unrun(nb):
    nb.cells[0].outputs = []
    nb.cells[0].execution_count = None


same("execution-counts", "the order in which the author ran cells", IDENTICAL, "6 * 7", author_edit=count(21))
same("stream-beside-display", "whether text or table comes first", IDENTICAL, "print('two rows')\ndisplay(pd.DataFrame({'a': [1, 2]}))", author_edit=swapped)
same("format-3", "a notebook of format 3", IDENTICAL, "print('a')\npd.Series([1, 2])", author_edit=lambda nb: (older(4)(nb), nbformat.convert(nb, 3))[1])
same("cell-injected", "a cell with parameters that the run has first", IDENTICAL, "print('sum', 42)", author_edit=older(4), run_edit=injected)
same("skipped-cell", "a cell tagged skip-execution", NOTHING, "print('takes a day')", tags=["skip-execution"], run_edit=unrun)
same("never-run", "the author never ran the cell", NOTHING, "print('first result')", author_edit=unrun)

# --- The same: numbers ----------------------------------------------------------------------------------------------------

same("last-digit", "the order of additions", NEAR, "print(add([0.1] * 10))", "add = sum", "import math\nadd = math.fsum")
same("array-rounding", "rounding in an array", NEAR, "print(np.array([1.5, 2.25, 3.125]) / 3 * scale)", "scale = 1.0\nnp.set_printoptions(precision=15)",
     "scale = 1 + 1e-13\nnp.set_printoptions(precision=15)")
same("nearly-zero", "what is left of zero", NEAR, "print(np.array([1.0, rest]))", "rest = 1.2e-17", "rest = -5.5e-17")
same("table-rounding", "rounding in a table", NEAR, "pd.DataFrame({'mean': [10.25, 20.5], 'p': [p, 0.5]}, index=['a', 'b'])", "pd.options.display.precision = 10; p = 0.0312341", "pd.options.display.precision = 10; p = 0.0312341 + 2e-9")
same("precision-of-print", "how many digits are printed", NEAR, "print('slope', round(1.23456789012, digits))", "digits = 11", "digits = 8")
same("json-rounding", "rounding and the order of members in JSON", NEAR, "from IPython.display import JSON\nJSON(data)",
     "data = {'fit': {'slope': 0.30000000000000004, 'n': 12}, 'ok': True}", "data = {'ok': True, 'fit': {'n': 12, 'slope': 0.3}}")

# --- The same: errors, randomness -----------------------------------------------------------------------------------------

same("error-message", "the path in the message of the same exception", IDENTICAL, "raise FileNotFoundError(f'{here}/missing.csv')", "here = '/home/alice'", "here = '/srv/run'")
same("random-numbers", "random numbers without a seed", VARIES, "print('estimate', np.random.normal())", again="")
same("random-plot", "random points without a seed", VARIES, "plt.scatter(*np.random.normal(size=(2, 30)));", again="")
same("clock", "seconds since 1970", VARIES, "import time\nprint(time.time_ns())", again="")
same("order-of-set", "the order of a set of texts", VARIES, "print(names)", "names = ['b', 'a', 'c']", "names = ['c', 'a', 'b']", again="names = ['a', 'c', 'b']")

# --- The same: HTML, JSON, widgets ----------------------------------------------------------------------------------------

HTML = "from IPython.display import HTML\n"
same("styler-ids", "ids of a styled table", IDENTICAL, "pd.DataFrame({'a': [1.5, 2.5]}).style.background_gradient()")
same("estimator-ids", "numbers of estimators drawn as HTML", IDENTICAL,
     HTML + "HTML(f'<style>#sk-container-id-{n} {{color: black;}}</style><div id=\"sk-container-id-{n}\"><input id=\"sk-estimator-id-{n}\" type=\"checkbox\">"
     "<label for=\"sk-estimator-id-{n}\">LinearRegression</label></div>')", "n = 3", "n = 1")
same("plot-ids", "the id of an interactive plot", IDENTICAL,
     HTML + "import uuid\nid = uuid.uuid4()\nHTML(f'<div id=\"{id}\" class=\"plotly-graph-div\"></div><script>Plotly.newPlot(\"{id}\", [{{\"y\": [1, 2.5]}}])</script>')")
same("map-ids", "ids within a map", IDENTICAL,
     HTML + "import secrets\nid = secrets.token_hex(16)\nHTML(f'<div class=\"folium-map\" id=\"map_{id}\"></div><script>var map_{id} = L.map(\"map_{id}\", [48.2, 16.3]);</script>')")
same("table-markup", "classes and comments in HTML", IDENTICAL, HTML + "HTML(f'<table {extra}>{note}<tr><td>1</td><td>x</td></tr>\\n</table>')",
     "extra, note = 'class=\"dataframe\" border=\"1\"', '<!-- made by 1.3 -->'", "extra, note = 'class=\"table\"', ''")
same("widget", "the number of a widget", IDENTICAL,
     "import uuid\ndisplay({'application/vnd.jupyter.widget-view+json': {'model_id': uuid.uuid4().hex, 'version_major': 2, 'version_minor': 0}, 'text/plain': 'IntSlider(value=3)'}, raw=True)")
same("picture-in-html", "the program named in a picture within HTML", IDENTICAL,
     HTML + "import base64, io\nout = io.BytesIO()\nfig = plt.figure(figsize=(1, 1)); fig.add_axes([0, 0, 1, 1]).plot([1, 3, 2])\nfig.savefig(out, metadata={'Software': program}); plt.close()\n"
     "HTML('<b>Fit</b><img src=\"data:image/png;base64,' + base64.b64encode(out.getvalue()).decode() + '\">')", "program = 'matplotlib 3.1'", "program = 'matplotlib 3.6'")

# --- The same: pictures ---------------------------------------------------------------------------------------------------

PLOT = "x = np.linspace(0, 6, 50)\nplt.plot(x, np.sin(x), label='sin'); plt.plot(x, np.cos(x), label='cos')\nplt.title('Waves'); plt.xlabel('time [s]'); plt.legend();"


def renamed_axes(nb):
    for output in nb.cells[0].outputs:
        if output.output_type == "execute_result":
            output.data["text/plain"] = "<matplotlib.axes._subplots.AxesSubplot at 0x1f3a2b4c5d6>"


same("axes-renamed", "what axes are called", IDENTICAL, "plt.close(); pd.Series([1, 2]).plot().set_title('a').axes", author_edit=renamed_axes)
same("scalars-of-numpy", "how newer numpy writes its scalars", IDENTICAL, "print(values)", "values = '[7.25, -1.5e-05, True]'", "values = '[np.float64(7.25), np.float64(-1.5e-05), np.True_]'")
different("scalar-of-numpy-changed", "a number within newer numpy's way to write it", "print(values)", "values = '[7.25, 3]'", "values = '[np.float64(7.26), np.int64(3)]'")
same("axes-as-text", "what axes are called, without a picture", IDENTICAL, "print(name)", "name = '<AxesSubplot:xlabel=\\'x\\'>'", "name = '<Axes: xlabel=\\'x\\'>'")
same("png-metadata", "the program named in a picture", IDENTICAL,
     "from IPython.display import Image\nplt.plot([1, 3, 2]); plt.savefig('/tmp/plot.png', metadata={'Software': program}); plt.close()\nImage('/tmp/plot.png')",
     "program = 'matplotlib 2.2'", "program = 'matplotlib 3.6'")
same("png-compression", "how a picture is compressed", IDENTICAL,
     "from IPython.display import Image\nplt.plot([1, 3, 2]); plt.savefig('/tmp/plot.png', pil_kwargs={'compress_level': level}); plt.close()\nImage('/tmp/plot.png')", "level = 9", "level = 1")
same("letters-drawn-otherwise", "how letters are smoothed", LOOKS, PLOT, "matplotlib.rcParams['text.hinting'] = 'none'", "matplotlib.rcParams['text.hinting'] = 'default'")
same("letters-hinted-finely", "how finely letters are hinted", LOOKS, PLOT, "matplotlib.rcParams['text.hinting_factor'] = 1", "")
same("text-moved-slightly", "text a tenth of a pixel away", LOOKS, PLOT, "", "matplotlib.rcParams['axes.labelpad'] = 4.1; matplotlib.rcParams['axes.titlepad'] = 6.1")
same("lines-moved-slightly", "lines a fifth of a pixel away", LOOKS, "x = np.linspace(0, 6, 50)\nplt.plot(x, np.sin(x) + shift); plt.ylim(-1.5, 1.5);", "shift = 0", "shift = 0.003")
same("line-width", "lines a little wider", LOOKS, PLOT, "", "matplotlib.rcParams['lines.linewidth'] = 1.53")
same("lines-simplified", "how lines are simplified", LOOKS, "x = np.linspace(0, 6, 5000)\nplt.plot(x, np.sin(x * 3));",
     "matplotlib.rcParams['path.simplify'] = False", "matplotlib.rcParams['path.simplify_threshold'] = 0.4")
same("image-interpolated", "rounding of colors in a picture", LOOKS, "plt.imshow(np.outer(np.sin(np.linspace(0, 3, 40)), np.linspace(0, 1, 40)) + shift, vmin=0, vmax=1); plt.colorbar();",
     "shift = 0", "shift = 0.002")
same("svg-ids", "ids and the date in a drawing", IDENTICAL, "%config InlineBackend.figure_format = 'svg'\n" + PLOT,
     "matplotlib.rcParams['svg.hashsalt'] = 'a'", "matplotlib.rcParams['svg.hashsalt'] = 'b'")
same("svg-rounding", "rounding in a drawing", NEAR, "%config InlineBackend.figure_format = 'svg'\nplt.plot([1, 2, 3], [1, 4 + shift, 9]);", "shift = 0", "shift = 4e-7")

# --- Different: text and numbers ------------------------------------------------------------------------------------------

different("third-digit", "the third digit of a number", "print(f'mean = {mean:.3f}')", "mean = 0.123", "mean = 0.124")
different("one-in-ten-thousand", "one part in ten thousand", "print('energy', energy)", "energy = -76.02676", "energy = -76.03436")
different("sign", "the sign of a number", "print('slope', slope)", "slope = 0.25", "slope = -0.25")
different("complex-sign", "the sign of an imaginary part", "z", "z = 1.5 + 2.0j", "z = 1.5 - 2.0j")
different("not-a-number", "NaN instead of a number", "print(pd.Series([1.5, value]))", "value = 2.5", "value = float('nan')")
different("large-integer", "a count that is one higher", "print(n, 'reads')", "n = 12345678", "n = 12345679")
different("off-by-one", "an index that is one higher", "print('peak at', i)", "i = 16", "i = 17")
different("unit", "the unit of a number", "print(f'tau = 5.0 {unit}')", "unit = 'ms'", "unit = 's'")
different("half-life", "a duration that is a result", "print(f'half-life: {h} h')", "h = 5.3", "h = 5.9")
different("dtype", "the type of an array", "np.array(values)", "values = [1, 2, 3]", "values = [1.0, 2.0, 3.0]")
different("dtype-in-table", "whole numbers that became decimal", "pd.DataFrame({'n': values})", "values = [1, 2]", "values = [1.0, 2.0]")
different("boolean", "a decision", "print('significant:', p < 0.05)", "p = 0.04", "p = 0.06")
different("none", "nothing instead of a value", "print(best)", "best = 'model 3'", "best = None")
different("order-of-lines", "the order of lines", "for name in names: print(name)", "names = ['a', 'b', 'c']", "names = ['a', 'c', 'b']")
different("missing-line", "a line that is missing", "for name in names: print(name)", "names = ['a', 'b', 'c']", "names = ['a', 'c']")
different("warning-on-stdout", "a warning on standard output", "if warn: print('Warning: did not converge')\nprint('done')", "warn = False", "warn = True")
different("list-length", "one element more", "print(found)", "found = [3, 5, 8]", "found = [3, 5, 8, 13]")
different("checksum", "a checksum", "import hashlib\nprint(hashlib.md5(data).hexdigest())", "data = b'a'", "data = b'b'")
different("hexadecimal", "a hexadecimal result", "print(hex(flags))", "flags = 0xbeef01", "flags = 0xbeef03")
different("indentation", "the place of a mark in a drawing of letters", "print('-' * 20)\nprint(' ' * n + '*')", "n = 4", "n = 9")
different("file-name", "the name of a file", "print(f'wrote /home/runner/{name}')", "name = 'model_a.csv'", "name = 'model_b.csv'")
different("date-in-data", "a date in the data", "pd.Series([1.0, 2.0], index=pd.to_datetime(days))", "days = ['2020-03-01', '2020-03-02']", "days = ['2020-03-02', '2020-03-03']")
different("truncated-output", "an output that ends early", "for i in range(n): print('row', i)", "n = 20", "n = 12")
different("one-line-of-two-varies", "a changed line beside one that varies", "print('random', np.random.normal())\nprint('accuracy', accuracy)",
          "accuracy = 0.91", "accuracy = 0.85", again="accuracy = 0.85")

# --- Different: exceptions, outputs ---------------------------------------------------------------------------------------

different("new-exception", "an exception", "value = table['mass']\nprint(value)", "table = {'mass': 3}", "table = {}")
different("swallowed-exception", "an exception that no longer comes", "int(text)", "text = 'x'", "text = '1'")
different("other-exception", "another exception", "1 / d", "d = 0", "d = 'a'")
different("lost-output", "an output that is missing", "if show: display(pd.Series([1]))\nprint('end')", "show = True", "show = False")
different("lost-display-of-three", "one display of three that is missing", "for i in shown: display(pd.DataFrame({'v': [i]}))", "shown = [1, 2, 3]", "shown = [1, 3]")
different("display-order", "the order of displays", "for i in shown: display({'n': i})", "shown = [1, 2]", "shown = [2, 1]")
different("new-output", "an output where there was none", "if talk: print('retrying with defaults')", "talk = False", "talk = True",
          author_edit=lambda nb: nb.cells.insert(0, nbformat.v4.new_code_cell("1", id="first", execution_count=1, outputs=[nbformat.v4.new_output("stream", name="stdout", text="1")])),
          run_edit=lambda nb: nb.cells.insert(0, nbformat.v4.new_code_cell("1", id="first", execution_count=1, outputs=[nbformat.v4.new_output("stream", name="stdout", text="1")])))
different("not-reached", "the run didn't reach the cell", "print('result', 4)", run_edit=unrun, verdict="NOT_RUN")

# --- Different: HTML, JSON, formulas --------------------------------------------------------------------------------------

FRAME = "pd.DataFrame({'gene': genes, 'count': range(1, len(genes) + 1)}).set_index('gene')"
different("missing-row", "a row that is missing", FRAME, "genes = ['BRCA1', 'TP53', 'MYC']", "genes = ['BRCA1', 'TP53']")
different("row-label", "the label of a row", FRAME, "genes = ['BRCA1', 'TP53']", "genes = ['BRCA2', 'TP53']")
different("missing-column", "a column that is missing", "pd.DataFrame({'a': [1], 'b': [2]})[columns]", "columns = ['a', 'b']", "columns = ['a']")
different("index-name", "the name of an index", "pd.DataFrame({'v': [1.5]}, index=pd.Index(['x'], name=name))", "name = 'sample'", "name = 'batch'")
different("truncated-table", "a table that is cut", "pd.set_option('display.max_rows', most)\ndisplay(pd.DataFrame({'v': range(12)}))\npd.reset_option('display.max_rows')", "most = 60", "most = 6")
different("cell-color", "the color of a table's cell", "pd.DataFrame({'a': [1.5, 2.5]}).style.background_gradient(cmap=colors)", "colors = 'Blues'", "colors = 'Reds'")
different("link", "where a link leads", HTML + "HTML(f'<a href=\"https://example.org/{page}\">data</a>')", "page = 'v1'", "page = 'v2'")
different("json-value", "a value in JSON", "from IPython.display import JSON\nJSON({'fit': {'slope': slope}})", "slope = 0.31", "slope = 0.32")
different("json-member", "a member of JSON that is missing", "from IPython.display import JSON\nJSON(data)", "data = {'a': 1, 'b': 2}", "data = {'a': 1}")
different("formula", "a coefficient of a formula", "import sympy\nx = sympy.Symbol('x')\nsympy.integrate(n * x**2, x)", "n = 6\nimport sympy; sympy.init_printing()", "n = 9\nimport sympy; sympy.init_printing()")
different("markdown-word", "a word in Markdown", "from IPython.display import Markdown\nMarkdown(f'The null hypothesis is **{word}**.')", "word = 'rejected'", "word = 'kept'")

# --- Different: pictures --------------------------------------------------------------------------------------------------

LINES = "x = np.linspace(0, 6, 50)\n"
different("lost-line", "a line of a plot that is missing", LINES + "for k in lines: plt.plot(x, np.sin(x * k) / k)", "lines = [1, 2, 3]", "lines = [1, 2]")
different("lost-thin-line", "a thin dashed line that is missing", LINES + "plt.plot(x, np.sin(x))\nif mean: plt.axhline(0, lw=0.5, ls='--', color='gray')", "mean = True", "mean = False")
different("axis-label", "the label of an axis", LINES + "plt.plot(x, np.sin(x)); plt.xlabel(label);", "label = 'time [s]'", "label = 'time [h]'")
different("one-letter-of-title", "one letter of a title", LINES + "plt.plot(x, np.sin(x)); plt.title(title);", "title = 'Sample A'", "title = 'Sample B'")
different("lost-title", "a title that is missing", LINES + "plt.plot(x, np.sin(x)); plt.title(title, fontsize=8);", "title = 'n = 50'", "title = ' '")
different("tick-labels", "the numbers of an axis", LINES + "plt.plot(x * scale, np.sin(x));", "scale = 1", "scale = 10")
different("color-map", "the color map of a picture", "plt.imshow(np.outer(np.arange(20), np.arange(20)), cmap=colors);", "colors = 'viridis'", "colors = 'plasma'")
different("gray-alike-colors", "colors that are equally bright", LINES + "plt.plot(x, np.sin(x), color=color);", "color = '#ff0000'", "color = '#008100'")
different("legend-place", "the place of a legend", LINES + "plt.plot(x, np.sin(x), label='sin'); plt.legend(loc=place);", "place = 'upper right'", "place = 'lower left'")
different("legend-order", "which line is which", LINES + "plt.plot(x, np.sin(x), label=names[0]); plt.plot(x, np.cos(x), label=names[1]); plt.legend(loc='lower left');",
          "names = ['control', 'treated']", "names = ['treated', 'control']")
different("markers", "the shape of markers", "plt.plot([1, 2, 3], [1, 4, 9], mark);", "mark = 'o'", "mark = 's'")
different("one-point", "one point of a cloud", "rng = np.random.default_rng(1)\nx, y = rng.normal(size=(2, 40)); y[7] += shift\nplt.scatter(x, y, s=9); plt.ylim(-4, 4);", "shift = 0", "shift = 1.5")
different("bar-height", "the height of a bar", "plt.bar(['a', 'b', 'c'], [3, 5, last]);", "last = 2", "last = 2.4")
different("log-axis", "a logarithmic axis", "plt.plot([1, 10, 100]); plt.yscale(scale);", "scale = 'log'", "scale = 'linear'")
different("figure-size", "the size of a figure", "plt.figure(figsize=size); plt.plot([1, 3, 2]);", "size = (4, 3)", "size = (5, 3)")
different("lost-picture", "a picture of which only the text is left", "plt.plot([1, 2]);", run_edit=lambda nb: nb.cells[0].outputs[0].data.pop("image/png") and None)
different("empty-plot", "a plot without its data", "plt.plot(*data, '.'); plt.xlim(0, 3); plt.ylim(0, 3);", "data = [1, 2], [1, 2]", "data = [], []")
different("svg-line", "a point of a drawing", "%config InlineBackend.figure_format = 'svg'\nplt.plot([1, 2, 3], [1, y, 9]);", "y = 4", "y = 4.2")
different("svg-label", "a label of a drawing", "%config InlineBackend.figure_format = 'svg'\nplt.rcParams['svg.fonttype'] = 'none'\nplt.plot([1, 2]); plt.xlabel(label);", "label = 'mass'", "label = 'mask'")
different("picture-in-html-changed", "a picture within HTML", HTML + "import base64, io\nout = io.BytesIO()\nfig = plt.figure(figsize=(1, 1)); fig.add_axes([0, 0, 1, 1]).plot([1, y, 2])\n"
          "fig.savefig(out); plt.close()\nHTML('<img src=\"data:image/png;base64,' + base64.b64encode(out.getvalue()).decode() + '\">')", "y = 3", "y = 2")
