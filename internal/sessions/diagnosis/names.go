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

// standard are modules of Python's own whose names people give to their files.
var standard = map[string]bool{
	"abc": true, "calendar": true, "cmath": true, "code": true, "collections": true, "copy": true, "csv": true, "dataclasses": true, "datetime": true,
	"decimal": true, "email": true, "enum": true, "fractions": true, "functools": true, "html": true, "http": true, "inspect": true, "io": true, "json": true,
	"keyword": true, "logging": true, "math": true, "numbers": true, "operator": true, "parser": true, "pickle": true, "platform": true, "profile": true,
	"queue": true, "random": true, "re": true, "secrets": true, "select": true, "signal": true, "site": true, "socket": true, "statistics": true,
	"string": true, "struct": true, "symbol": true, "tempfile": true, "test": true, "threading": true, "time": true, "token": true, "tokenize": true,
	"types": true, "typing": true, "uuid": true, "warnings": true,
}

// packageFor returns the package that contains a module.
func packageFor(module string) string {
	if name := packageOf[module]; name != "" {
		return name
	}
	return module
}
