# Before the blocks of the guides: curl fails when the service refuses, `npm run` calls its programs without npm, and the client and
# some of the operator's commands run in the process of the test.
set -E -o pipefail
curl() { command curl --fail-with-body --max-time 60 "$@"; }
command -v uuidgen > /dev/null || uuidgen() { openssl rand -hex 16; }
plimsoll() { client "$@"; }
plimsoll-admin() { operator "$@"; }
npm() {
  [ "$1 $2 $4" = 'run --silent --' ] || { echo "npm $*: mark the block" >&2; return 2; }
  local program=$3
  shift 4
  case $program in
    plimsoll) client "$@" ;;
    admin) operator "$@" ;;
  esac
}
operator() {
  case "$1 $2" in
    'device-key create' | 'device-key revoke' | person*) in_test operator "$@" ;;
    *) "$NODE" "$ADMIN" "$@" | tee last-answer ;;
  esac
}
client() { in_test client "$@"; }
in_test() {
  local program=$1 answer word before words=("$PLIMSOLL_URL" "$PLIMSOLL_API_KEY" "$PLIMSOLL_WORKSPACE")
  shift
  for word; do
    case $word in /* | -*) ;; *) [ ! -f "$word" ] && [ "$before" != --output ] || word=$PWD/$word ;; esac
    words+=("$word")
    before=$word
  done
  answer=$(printf '%s\0' "${words[@]}" | command curl -s --data-binary @- "$PROGRAMS/$program")
  jq -j .stderr <<< "$answer" >&2
  jq -j .stdout <<< "$answer"
  return "$(jq .exitCode <<< "$answer")"
}
trap 'echo "FAILED $BLOCK: $BASH_COMMAND" >&2' ERR
