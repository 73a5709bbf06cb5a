"""A server of the hub whose pages show nothing of the hub: people come from the catalog and go back there, and the addresses
of the hub's own pages lead nowhere in a session."""

import sys

from jupyterhub.singleuser import mixins
from jupyterhub.singleuser.app import main

mixins.page_template = '{% extends "templates/page.html" %}'

if __name__ == "__main__":
    sys.exit(main())
