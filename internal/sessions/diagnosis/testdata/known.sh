# shellcheck shell=bash disable=SC2016
# The ways that were written beside the rules.

version_of_pip() { wheel rates 1.0 </dev/null && install <<<'rates==9.9'; }
refused_of_pip() { index=http://$dead/simple/ install <<<'rates==1.0'; }
unknown_host_of_pip() { index=https://index.invalid/simple/ install <<<'rates'; }
broken_of_pip() { index=$host/broken/ install <<<'rates'; }
distrusted_of_pip() { index=$secure/simple/ install <<<'rates'; }
disk_of_pip() {
	$python -c 'import os; print("x = " + repr(os.urandom(600000)))' | wheel heavy 1.0
	echo heavy >requirements.txt
	PIP_INDEX_URL=$host/simple/ bwrap --bind / / --dev-bind /dev /dev --proc /proc --size 400000 --tmpfs /mnt --chdir "$PWD" \
		"$root/venv/bin/python" -m pip install --no-cache-dir --target /mnt -r requirements.txt
}
bad_line_of_pip() { install <<<'rates=1.0'; }
build_needs_of_pip() {
	source_of gridded 1.0 <<<'import Cython; from setuptools import setup; setup(name="gridded", version="1.0")'
	install <<<gridded
}
not_a_wheel_of_pip() {
	mkdir -p "$root/www/simple/torn" && head -c 400 /dev/zero >"$root/www/simple/torn/torn-1.0-py3-none-any.whl"
	echo '<a href="torn-1.0-py3-none-any.whl">torn</a>' >"$root/www/simple/torn/index.html"
	install <<<'torn'
}
absent_of_git() { git clone --progress "$host/lab/nothing.git" study; }
private_of_git() { git clone --progress "$host/private/study.git" study; }
unknown_host_of_git() { git clone --progress https://code.invalid/lab/study.git study; }
refused_of_git() { git clone --progress "http://$dead/lab/study.git" study; }
broken_of_git() { git clone --progress "$host/broken/study.git" study; }
half_of_git() { git clone --progress "$host/half/study.git" study; }
page_of_git() { git clone --progress "$host/page/study" study; }
disk_of_git() {
	git init -q source && head -c 900000 /dev/urandom >source/noise && git -C source add noise
	git -C source -c user.name=a -c user.email=a@example.org commit -qm noise
	bwrap --bind / / --dev-bind /dev /dev --proc /proc --size 400000 --tmpfs /mnt --chdir "$PWD" \
		git -c safe.directory='*' clone --progress --no-hardlinks source /mnt/study
}
pictures_of_import() { cell <<<$'import numpy\nimport skimage.io as pictures'; }
submodule_of_import() { cell <<<'from scipy.misc import imread'; }
dataset_of_file() { cell <<<'text = open("/home/ann/spikes/values.csv").read()'; }
list_of_memory() {
	notebook <<<'values = [0] * 10 ** 9'
	(ulimit -v 3000000 && execute)
}
keys_of_notebook() { echo '{"cells": [{"cell_type": "code"}], "nbformat": 4, "nbformat_minor": 5}' >study.ipynb && execute; }
julia_of_server() { serve_jupyter /api/kernels '{"name": "julia-1.9"}'; }
prohibited_of_data() {
	notebook <<<$'import urllib.request\nurllib.request.urlopen("http://192.0.2.7/data.csv", timeout=5)'
	offline sh -c 'ip link set lo up; ip route add prohibit default; exec /usr/bin/jupyter-execute study.ipynb'
}
full_of_disk() {
	notebook <<<'open("/mnt/out.npy", "wb").write(bytes(900000))'
	bwrap --bind / / --dev-bind /dev /dev --proc /proc --size 400000 --tmpfs /mnt --chdir "$PWD" /usr/bin/jupyter-execute study.ipynb
}
