# shellcheck shell=bash disable=SC2016
# The ways that somebody who hadn't read the rules wrote and answered later.

conda_list_of_pip() { install <<<$'# platform: linux-64\nblas=1.0=mkl\nscanpy=1.9.1=py39h06a4308_0'; }
nested_of_pip() { install <<<$'-r requirements/analysis.txt'; }
windows_only_of_pip() { install <<<'pywinpty-tools==306; sys_platform != "darwin"'; }
script_needs_of_pip() {
	source_of hdbcluster 0.8 <<'END'
from setuptools import setup, Extension
import setuptools_of_the_lab
setup(name="hdbcluster", version="0.8")
END
	install <<<'hdbcluster==0.8'
}
private_of_pip() { install <<<"labtools @ git+$host/lab/labtools.git"; }
missing_wheel_of_pip() { install <<<'./wheels/ourlab-1.0-py3-none-any.whl'; }
branch_of_git() {
	git init -q -b main origin
	git -C origin -c user.name=ann -c user.email=ann@example.org commit -q --allow-empty -m first
	git clone --progress --branch revision-2 "file://$PWD/origin" study
}
dead_host_of_git() { git clone --progress "http://$dead/lab/study.git" study; }
helpers_of_import() {
	mkdir -p src && echo 'def clean(x): return x' >src/helpers.py
	mkdir notebooks && cd notebooks && cell <<<'from src.helpers import clean'
}
moved_name_of_import() { cell <<<'from collections import Mapping'; }
clock_of_import() { cell <<<$'import time\nbegin = time.clock()'; }
pickle_of_import() {
	printf 'ckeras_core.model\nModel\n.' >model.pkl
	cell <<<$'import pickle\nmodel = pickle.load(open("model.pkl", "rb"))'
}
skimage_of_import() { cell <<<'from skimage import filters, io'; }
magic_of_import() { cell <<<$'%load_ext rpy2.ipython'; }
offline_pip_of_import() {
	notebook <<<$'!python3 -m pip install --retries 0 --timeout 2 pingouin\nimport pingouin as pg'
	offline /usr/bin/jupyter-execute study.ipynb
}
home_of_file() { cell <<<'rows = open("/home/ann/thesis/data/subject_01.csv").readlines()'; }
case_of_file() { cell <<<$'import numpy as np\nnp.loadtxt("../data/spikes/Values.CSV", delimiter=",")'; }
program_of_file() { cell <<<$'import subprocess\nsubprocess.check_output(["blastn", "-query", "reads.fa", "-db", "nt"])'; }
segfault_of_kernel() { cell <<<$'import ctypes\nctypes.string_at(0)'; }
conda_of_kernel() { notebook conda-env-thesis-py python <<<'1 + 1' && execute; }
page_of_notebook() {
	printf '<!DOCTYPE html>\n<html><head><title>study.ipynb at main</title></head><body></body></html>\n' >study.ipynb
	execute
}
database_of_data() {
	notebook <<<$'import socket\nsocket.create_connection(("10.20.0.5", 5432), timeout=3)'
	offline /usr/bin/jupyter-execute study.ipynb
}
full_disk_of_data() { cell <<<$'with open("/dev/full", "w") as out:\n    out.write("1,2,3\\n" * 100000)'; }
question_of_code() { cell <<<'subject = int(input("Subject number? "))'; }
encoding_of_code() {
	printf 'site;value\nZ\xfcrich;3\n' >sites.csv
	cell <<<'rows = open("sites.csv", encoding="utf-8").read()'
}
