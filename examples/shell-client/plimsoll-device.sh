#!/bin/sh
# A device of Plimsoll over MQTT, of mosquitto_pub, mosquitto_sub, curl, jq and sha256sum.
#
# It plays a device with two slots. Each mosquitto tool is a connection of its own: it says what there is to say, then
# listens for a while, in turns. The protocol: docs/guide/device-protocol.md
set -eu

: "${PLIMSOLL_WORKSPACE:?the id of the workspace}" "${PLIMSOLL_DEVICE:?the id of the device}"
: "${PLIMSOLL_DEVICE_KEY:?a device key, plmd_…}"
host=${PLIMSOLL_MQTT_HOST:-localhost}
port=${PLIMSOLL_MQTT_PORT:-1883}
state=${PLIMSOLL_STATE:-device-state}
listen_seconds=${PLIMSOLL_LISTEN_SECONDS:-60}
topics="plimsoll/v1/$PLIMSOLL_WORKSPACE/$PLIMSOLL_DEVICE"

# With TLS: add --cafile or --capath, and port 8883.
mqtt() {
  tool=$1
  shift
  "$tool" -h "$host" -p "$port" -u "$PLIMSOLL_WORKSPACE:$PLIMSOLL_DEVICE" -P "$(cat "$state/$key")" -q 1 "$@"
}

# say KIND < message: mosquitto_pub is done when the message is acknowledged, which is when it is stored.
say() {
  message=$(cat)
  until printf '%s' "$message" | mqtt mosquitto_pub -t "$topics/up/$1" -s; do
    echo "not reached, again in 5 s" >&2
    sleep 5
  done
}

# hear KIND SECONDS: the newest message, which the broker keeps; nothing when there is none.
hear() {
  mqtt mosquitto_sub -t "$topics/down/$1" -C 1 -W "$2" || true
}

active() { cat "$state/active"; }
other() { if [ "$(active)" = a ]; then echo b; else echo a; fi; }

# The present key, and the next one until it was accepted: an answer may be lost, and the power may go at any moment.
key=key
take_given_key() {
  if [ "$(cat "$state/key.given" 2> /dev/null)" = "$PLIMSOLL_DEVICE_KEY" ]; then return; fi
  rm -f "$state/key.next"
  keep_key key "$PLIMSOLL_DEVICE_KEY"
  keep_key key.given "$PLIMSOLL_DEVICE_KEY"
}

keep_key() {
  (umask 077 && printf '%s' "$2" > "$state/$1.new")
  sync
  mv "$state/$1.new" "$state/$1"
}

take_key() {
  next=$(curl -fsS -X POST -H "Authorization: Bearer $(cat "$state/key")" "$(printf '%s' "$1" | jq -r .url)" | jq -r .deviceKey)
  if [ -z "$next" ]; then return; fi
  keep_key key.next "$next"
  use_next_key
}

# Its first use ends the older key: so the older one is kept until the new one was accepted, and no longer.
use_next_key() {
  while [ -f "$state/key.next" ]; do
    code=0
    key=key.next
    printf '[]' | mqtt mosquitto_pub -t "$topics/up/metrics" -s || code=$?
    key=key
    case $code in
      0) mv "$state/key.next" "$state/key" ;;
      # Refused: another one of its next keys was used before, or somebody revoked this one.
      4 | 5) rm "$state/key.next" ;;
      *) sleep 5 ;;
    esac
  done
}

first_boot() {
  mkdir -p "$state/a" "$state/b"
  printf '[{"slug":"%s","version":"%s"}]' "${PLIMSOLL_SLUG:-main}" "${PLIMSOLL_VERSION:-1.0.0}" > "$state/a/firmware.json"
  echo a > "$state/active"
}

boot() {
  run_id="$(date +%s)-$$-$(od -An -N4 -tx4 /dev/urandom | tr -d ' ')"
  sequence=0
  # The SHA-256 of each image that runs proves what runs; those that the factory wrote are not known here.
  [ -f "$state/$(active)/hashes.json" ] || echo '{}' > "$state/$(active)/hashes.json"
  jq -cn --arg run "$run_id" --slurpfile firmware "$state/$(active)/firmware.json" --slurpfile hashes "$state/$(active)/hashes.json" \
    --argjson reportsCrashes "$(reports_crashes)" \
    '{runId: $run, firmware: $firmware[0], attributes: ($hashes[0] + {$reportsCrashes})}' | say session
  write_log Info "booted slot $(active)"
}

# Whoever writes crashes down has made the folder. Without it nobody does, and no crash would mean nothing.
reports_crashes() {
  if [ -d "$state/crashes" ]; then echo true; else echo false; fi
}

write_log() {
  sequence=$((sequence + 1))
  echo "$1: $2"
  jq -cn --arg run "$run_id" --arg severity "$1" --arg message "$2" --argjson sequence "$sequence" \
    '{runId: $run, lines: [{severity: $severity, message: $message, sequence: $sequence}]}' | say logs
}

# A crash is a file of lines "name: value", as core-to-crash.sh writes them; "return:" once for each return address. What
# was told is removed; told twice it counts once, as its name and number stay the same.
tell_crashes() {
  for report in "$state"/crashes/*.txt; do
    [ -f "$report" ] || continue
    jq -Rn --arg run "$(basename "$report" .txt)" '
      [inputs | capture("^(?<name>[A-Za-z]+): *(?<value>.*)$")] as $lines
      | {runId: $run, crashes: [
          ($lines | map(select(.name != "return") | {(.name): .value}) | add) + {
            returnAddresses: [$lines[] | select(.name == "return").value], sequence: 1 }] }' "$report" | say crashes
    rm -f "$report"
  done
}

acknowledged=0
take_config() {
  version=$(printf '%s' "$1" | jq -r .version)
  # The broker keeps the message, so it is heard at every turn.
  if [ "$version" = "$acknowledged" ]; then return; fi
  printf '%s' "$1" | jq -c '{logSeverity, acknowledgedDesiredConfigurationVersion: .version}' | say config
  acknowledged=$version
  write_log Info "configuration $version taken over"
}

say_update() {
  jq -cn --arg id "$update_id" --arg state "$1" --arg reason "${2:-}" \
    '{updateId: $id, state: $state} + (if $reason == "" then {} else {reason: $reason} end)' | say update
}

refused=
take_update() {
  update=$1
  update_id=$(printf '%s' "$update" | jq -r .updateId)
  if [ "$update_id" = "$refused" ]; then return; fi
  if printf '%s' "$update" | jq -e .cancel > /dev/null; then
    say_update failed "cancelled, nothing was changed"
    refused=$update_id
    return
  fi
  say_update inProgress
  if reason=$(install_update); then
    say_update succeeded
    other > "$state/active.new" && mv "$state/active.new" "$state/active"
    boot
  else
    say_update failed "$reason"
    refused=$update_id
  fi
}

# Prints why it did not work.
install_update() {
  slot=$state/$(other)
  count=$(printf '%s' "$update" | jq '.artifacts | length')
  index=0
  while [ "$index" -lt "$count" ]; do
    artifact=$(printf '%s' "$update" | jq -c ".artifacts | sort_by(.order) | .[$index]")
    download || return 1
    index=$((index + 1))
  done
  # What the update does not name stays as it is.
  printf '%s' "$update" | jq -c --slurpfile running "$state/$(active)/firmware.json" \
    '[.artifacts[] | {slug, version}] as $new | [$running[0][] | select(.slug as $slug | all($new[]; .slug != $slug))] + $new' \
    > "$slot/firmware.json"
  printf '%s' "$update" | jq -c --slurpfile running "$state/$(active)/hashes.json" \
    '$running[0] + ([.artifacts[] | {("imageHash." + .slug): .sha256}] | add)' > "$slot/hashes.json"
}

download() {
  url=$(printf '%s' "$artifact" | jq -r .url)
  slug=$(printf '%s' "$artifact" | jq -r .slug)
  sha256=$(printf '%s' "$artifact" | jq -r .sha256)
  part=$slot/$sha256.part
  # -C - goes on where it was cut off. What is whole already asks for a range beyond the end: 416, and curl says 22.
  curl -fsS --retry 5 --retry-connrefused -C - -o "$part" "$url" 2> "$state/curl.log" || [ -s "$part" ] ||
    { cat "$state/curl.log"; return 1; }
  if ! echo "$sha256  $part" | sha256sum -c --status; then
    rm -f "$part"
    echo "sha256 of $slug differs"
    return 1
  fi
  mv "$part" "$slot/$slug.img"
}

mkdir -p "$state"
take_given_key

# Tells one crash and ends: plimsoll-device.sh crash < report
if [ "${1:-}" = crash ]; then
  mkdir -p "$state/crashes"
  report=$state/crashes/$(date +%s)-$$
  cat > "$report.new"
  mv "$report.new" "$report.txt"
  tell_crashes
  exit
fi

[ -f "$state/active" ] || first_boot
use_next_key
boot
while :; do
  tell_crashes
  config=$(hear config 5)
  [ -z "$config" ] || take_config "$config"
  request=$(hear key 1)
  [ -z "$request" ] || take_key "$request"
  update=$(hear update "$listen_seconds")
  [ -z "$update" ] || take_update "$update"
  jq -cn --arg run "$run_id" --argjson uptime "$(cut -d' ' -f1 /proc/uptime)" \
    '{runId: $run, points: [{name: "uptime.seconds", value: $uptime}]}' | say metrics
done
