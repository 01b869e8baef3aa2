#!/bin/sh
# Called by Linux when a program crashes: writes down where, for plimsoll-device.sh to tell.
#
#   echo '|/usr/bin/core-to-crash.sh /var/lib/plimsoll/crashes %P %s' > /proc/sys/kernel/core_pattern
#
# No dump is kept: the core on standard input is left unread. While the kernel waits for this script, /proc still has the
# program that crashed; that of the field kstkeip is shown only now (proc(5), since Linux 4.14). Needs readelf
# of binutils for the build id.
set -eu

folder=$1
pid=$2
number=$3
proc=${PLIMSOLL_PROC:-/proc}/$pid

reason_of() {
  case $1 in
  4) echo SIGILL ;; 6) echo SIGABRT ;; 7) echo SIGBUS ;; 8) echo SIGFPE ;; 11) echo SIGSEGV ;;
  *) echo "signal $1" ;;
  esac
}

# The name of a program may have spaces and brackets: what counts comes behind the last ")", beginning with field 3.
counter=$(sed 's/.*) //' "$proc/stat" | cut -d' ' -f28)

# The file that is mapped where the counter stands, with the place in it; nothing where code was made at run time.
find_place() {
  while read -r range _ offset _ _ path; do
    begin=$((0x${range%-*}))
    end=$((0x${range#*-}))
    if [ "$counter" -ge "$begin" ] && [ "$counter" -lt "$end" ]; then
      echo "$((counter - begin + 0x$offset)) $path"
      return
    fi
  done < "$proc/maps"
}
place=$(find_place)
file=$proc/root${place#* }
# Programs are loaded at another address each time; their first segment says at which the linker began to count.
first=$(readelf -lW "$file" 2> /dev/null | awk '$1 == "LOAD" { print $3; exit }') || first=
# By the build id Plimsoll tells whose address it is: that of the program, or of the library that it was in.
build_id=$(readelf -n "$file" 2> /dev/null | sed -n 's/^ *Build ID: //p') || build_id=

mkdir -p "$folder"
report=$folder/$(date +%s)-$pid
{
  echo "reason: $(reason_of "$number")"
  [ -z "$place" ] || printf 'pc: 0x%x\n' $((${place%% *} + ${first:-0}))
  echo "thread: $(cat "$proc/comm")"
  [ -z "$build_id" ] || echo "buildId: $build_id"
  echo "timestamp: $(date -u +%Y-%m-%dT%H:%M:%SZ)"
} > "$report.new"
# Whole or not at all.
mv "$report.new" "$report.txt"
