"""Keeps other packages' plugins out of pydantic: imported before it."""

import os

# Any package that is installed could bring one, which would be shown every secret in the
# settings; and to look for them is to read the metadata of every package.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
