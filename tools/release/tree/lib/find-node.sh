# Sets `home`, the folder of the release, and `node`: PLIMSOLL_NODE of the environment or of the file of settings, or the one that
# was installed along, or the machine's.
home=${program%/*}
home=${home%/*}
if [ -z "${PLIMSOLL_NODE:-}" ] && [ -r "${PLIMSOLL_ENV_FILE:-}" ]; then
  PLIMSOLL_NODE=$(sed -n "s/^PLIMSOLL_NODE=[\"']\{0,1\}\([^\"']*[^\"' ]\).*/\1/p" "$PLIMSOLL_ENV_FILE" | tail -n 1)
fi
node=${PLIMSOLL_NODE:-node}
if [ -z "${PLIMSOLL_NODE:-}" ] && [ -x "$home/lib/node" ]; then node=$home/lib/node; fi
version=$("$node" --version 2>/dev/null) || {
  echo "plimsoll needs Node 24, and there is no $node. Install it, or name it in PLIMSOLL_NODE." >&2
  exit 1
}
case $version in
v2[4-9].* | v[3-9][0-9].*) ;;
*)
  echo "plimsoll needs Node 24 or newer; $node is $version. Name another one in PLIMSOLL_NODE." >&2
  exit 1
  ;;
esac
