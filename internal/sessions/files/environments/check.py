# Says of each package that a repository asks for whether pip can install it. $1 is a list of them in JSON:
# {"lines": [as in requirements.txt], "wheels": [names of which only wheels are taken]}. No code of a package runs.
import json
import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from pip._internal.commands import create_command
from pip._vendor.packaging.requirements import Requirement


def answer(line, finder):
    wish = Requirement(line)
    if wish.marker and not wish.marker.evaluate():
        return "elsewhere"
    if wish.name == "python":
        return "there" if wish.specifier.contains(platform.python_version()) else "lacking"
    try:
        if not wish.extras and wish.specifier.contains(version(wish.name), prereleases=True):
            return "there"
    except PackageNotFoundError:
        pass
    return "found" if finder.find_best_candidate(wish.name, wish.specifier).best_candidate else "lacking"


with open(sys.argv[1]) as file:
    asked = json.load(file)
command = create_command("install")
with command.main_context():
    options, _ = command.parse_args(["--only-binary=" + name for name in asked["wheels"]])
    finder = command._build_package_finder(options=options, session=command.get_default_session(options))
    for number, line in enumerate(asked["lines"]):
        said = answer(line, finder)
        have = version(Requirement(line).name) if said == "there" and Requirement(line).name != "python" else ""
        print(json.dumps({"number": number, "answer": said, "version": have}), flush=True)
