# Before the blocks of the guides: curl fails when the service refuses, `npm run` calls its programs without npm, and the client runs in the
# process of the test.
set -E -o pipefail
curl() { command curl --fail-with-body --max-time 60 "$@"; }
command -v uuidgen > /dev/null || uuidgen() { openssl rand -hex 16; }
npm() {
  [ "$1 $2" = 'run --silent' ] || { echo "npm $*: mark the block" >&2; return 2; }
  local program=$3
  shift 4
  case $program in
    plimsoll) plimsoll "$@" ;;
    admin) "$NODE" "$ROOT/server/src/admin.ts" "$@" | tee last-answer ;;
  esac
}
plimsoll() {
  local answer word words=("$PLIMSOLL_URL" "$PLIMSOLL_API_KEY" "$PLIMSOLL_WORKSPACE")
  for word; do
    case $word in /* | -*) ;; *) [ ! -f "$word" ] || word=$PWD/$word ;; esac
    words+=("$word")
  done
  answer=$(printf '%s\0' "${words[@]}" | command curl -s --data-binary @- "$CLIENT")
  jq -j .stderr <<< "$answer" >&2
  jq -j .stdout <<< "$answer"
  return "$(jq .exitCode <<< "$answer")"
}
trap 'echo "FAILED $BLOCK: $BASH_COMMAND" >&2' ERR
