# To be sourced: afterwards `python3` is the system's own Python, if that has the same version and can make a venv.
# A Python that was compiled without optimisations, as by pyenv, takes half as long again.
python_version() { "$1" -c 'import sys, ensurepip, venv; print(sys.version_info[:2])' 2>/dev/null; }
if system_version="$(python_version /usr/bin/python3)" && [[ "$system_version" == "$(python_version python3)" ]]; then
    python3() { /usr/bin/python3 "$@"; }
fi
