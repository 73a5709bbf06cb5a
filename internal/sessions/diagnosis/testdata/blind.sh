# shellcheck shell=bash disable=SC2016
# The ways that were written without knowing the rules: what people ask about when their notebooks fail elsewhere.

typing_error_of_pip() { install <<<'numppy'; }
old_python_of_pip() { wheel flowtensor 1.15 'Requires-Python: <3.8' </dev/null && install <<<'flowtensor==1.15'; }
header_of_pip() {
	source_of soundport 0.2 <<'END'
from setuptools import setup, Extension
setup(name="soundport", version="0.2", ext_modules=[Extension("soundport", ["port.c"])])
END
	printf '#include "portaudio.h"\n' >soundport-0.2/port.c
	tar czf "$root/www/simple/soundport/soundport-0.2.tar.gz" soundport-0.2
	install <<<'soundport'
}
retired_name_of_pip() {
	source_of sklearn 0.0 <<'END'
import sys
sys.exit("""The 'sklearn' PyPI package is deprecated, use 'scikit-learn'
rather than 'sklearn' for pip commands.""")
END
	install <<<'sklearn'
}
conflict_of_pip() {
	wheel tensor 1.0 'Requires-Dist: protolib (<4)' </dev/null
	wheel boards 2.0 'Requires-Dist: protolib (>=4)' </dev/null
	wheel protolib 3.9 </dev/null
	wheel protolib 4.2 </dev/null
	printf 'tensor==1.0\nboards==2.0\n' | install
}
hash_of_pip() {
	wheel pinned 1.0 </dev/null
	install <<<"pinned==1.0 --hash=sha256:$(printf '0%.0s' {1..64})"
}
camera_of_import() { cell <<<$'import cv2\ncv2.imread("cells.png")'; }
retired_attribute_of_import() { cell <<<$'import numpy as np\nnp.zeros(3, dtype=np.int)'; }
wrong_folder_of_file() { cell <<<$'import numpy as np\nnp.loadtxt("data/values.csv", delimiter=",")'; }
windows_of_file() { cell <<<'open(r"C:\Users\ann\Desktop\trial 3\results.xlsx", "rb")'; }
python2_of_code() { cell <<<$'rate = 3\nprint "the rate is", rate'; }
statistics_of_kernel() { notebook ir R <<<'library(ggplot2)' && execute; }
merge_of_notebook() {
	notebook <<<'1 + 1'
	{ echo '<<<<<<< HEAD'; cat study.ipynb; echo; echo '======='; cat study.ipynb; echo '>>>>>>> theirs'; } >merged
	mv merged study.ipynb
	execute
}
killed_of_kernel() { cell <<<$'import os, signal\nos.kill(os.getpid(), signal.SIGKILL)'; }
huge_array_of_memory() { cell <<<$'import numpy as np\nnp.ones((400_000, 400_000))'; }
endless_of_time() { notebook <<<$'while True:\n    pass' && execute --timeout=3; }
colab_of_import() { cell <<<$'from google.colab import drive\ndrive.mount("/content/drive")'; }
shared_object_of_import() { cell <<<$'import ctypes\nctypes.CDLL("libgeos_c.so")'; }
command_of_file() { cell <<<$'import subprocess\nsubprocess.run(["ffmpeg", "-i", "film.avi", "film.mp4"], check=True)'; }
link_of_data() { cell <<<"import urllib.request
urllib.request.urlretrieve('$host/trials/2019.csv', 'trials.csv')"; }
offline_of_data() {
	notebook <<<$'import requests\nrequests.get("https://zenodo.org/record/1/files/trials.csv", timeout=5)'
	offline /usr/bin/jupyter-execute study.ipynb
}
read_only_of_data() {
	notebook <<<'open("../data/spikes/clean.csv", "w").write("4")'
	bwrap --bind / / --dev-bind /dev /dev --proc /proc --ro-bind "$root/work/data" "$root/work/data" --chdir "$PWD" \
		/usr/bin/jupyter-execute study.ipynb
}
shadow_of_kernel() {
	echo 'values = [4, 8, 15]' >random.py
	cell <<<'1 + 1'
}
safe_marks_of_server() {
	mkdir -p markupsafe && echo '__version__ = "2.1.1"' >markupsafe/__init__.py
	PYTHONPATH=$PWD /usr/bin/jupyter-notebook --allow-root --no-browser
}
certificate_of_git() { git clone --progress "$secure/lab/study.git" study; }
