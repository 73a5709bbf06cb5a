package diagnosis

// packageOf are packages whose modules have other names, by module.
var packageOf = map[string]string{
	"Bio": "biopython", "Crypto": "pycryptodome", "MySQLdb": "mysqlclient", "OpenGL": "PyOpenGL", "OpenSSL": "pyOpenSSL", "PIL": "Pillow",
	"attr": "attrs", "bs4": "beautifulsoup4", "community": "python-louvain", "cv2": "opencv-python-headless", "dateutil": "python-dateutil",
	"docx": "python-docx", "dotenv": "python-dotenv", "faiss": "faiss-cpu", "fitz": "PyMuPDF", "git": "GitPython", "github": "PyGithub",
	"igraph": "python-igraph", "jwt": "PyJWT", "kneed": "kneed", "levenshtein": "Levenshtein", "magic": "python-magic", "mpl_toolkits": "matplotlib",
	"netCDF4": "netCDF4", "osgeo": "GDAL", "pkg_resources": "setuptools", "pptx": "python-pptx", "psycopg2": "psycopg2-binary", "pywt": "PyWavelets",
	"pyximport": "Cython", "rdkit": "rdkit", "ruamel": "ruamel.yaml", "serial": "pyserial", "skimage": "scikit-image", "sklearn": "scikit-learn",
	"skopt": "scikit-optimize", "slugify": "python-slugify", "snappy": "python-snappy", "talib": "TA-Lib", "tables": "tables", "telegram": "python-telegram-bot",
	"umap": "umap-learn", "usb": "pyusb", "wx": "wxPython", "yaml": "PyYAML", "zmq": "pyzmq",
}

// oldModules are modules of Python 2.
var oldModules = map[string]bool{
	"ConfigParser": true, "HTMLParser": true, "Queue": true, "StringIO": true, "Tkinter": true, "__builtin__": true, "cPickle": true, "cStringIO": true,
	"commands": true, "httplib": true, "urllib2": true, "urlparse": true,
}

// standard are modules of Python itself: files with their names hide them, and requirements can't ask for them.
var standard = map[string]bool{
	"abc": true, "argparse": true, "array": true, "ast": true, "asyncio": true, "base64": true, "bisect": true, "builtins": true,
	"calendar": true, "cmath": true, "code": true, "codecs": true, "collections": true, "contextlib": true, "copy": true, "csv": true,
	"ctypes": true, "dataclasses": true, "datetime": true, "decimal": true, "difflib": true, "email": true, "enum": true, "errno": true,
	"fractions": true, "functools": true, "getpass": true, "glob": true, "gzip": true, "hashlib": true, "heapq": true, "html": true,
	"http": true, "importlib": true, "inspect": true, "io": true, "itertools": true, "json": true, "keyword": true, "locale": true,
	"logging": true, "math": true, "multiprocessing": true, "numbers": true, "operator": true, "os": true, "parser": true, "pathlib": true,
	"pickle": true, "platform": true, "pprint": true, "profile": true, "queue": true, "random": true, "re": true, "secrets": true,
	"select": true, "shutil": true, "signal": true, "site": true, "socket": true, "sqlite3": true, "ssl": true, "stat": true,
	"statistics": true, "string": true, "struct": true, "subprocess": true, "symbol": true, "sys": true, "tarfile": true, "tempfile": true,
	"test": true, "textwrap": true, "threading": true, "time": true, "timeit": true, "token": true, "tokenize": true, "traceback": true,
	"types": true, "typing": true, "unittest": true, "urllib": true, "uuid": true, "warnings": true, "weakref": true, "xml": true,
	"zipfile": true, "zlib": true,
}

// packageFor returns the package that contains a module.
func packageFor(module string) string {
	if name := packageOf[module]; name != "" {
		return name
	}
	return module
}
