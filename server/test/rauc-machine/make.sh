#!/usr/bin/env bash
# make.sh FOLDER: makes kernel and start-up files of the machine in which the tests run RAUC: FOLDER/kernel and FOLDER/initramfs.
# RAUC streams in Debian 13 and newer only, and needs NBD and dm-verity of the kernel. So kernel, RAUC and all that RAUC needs
# are of Debian 13, of whatever release this machine is. They are unpacked into FOLDER and installed nowhere.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
if [ -e "$folder/initramfs" ] && ! [ "$0" -nt "$folder/initramfs" ] && ! [ "$here/init" -nt "$folder/initramfs" ]; then exit; fi

# An apt of its own, at the mirror that this machine uses.
apt=$folder/apt
mkdir -p "$apt"/etc/apt/{apt.conf.d,preferences.d,sources.list.d} "$apt"/var/{lib/apt/lists/partial,lib/dpkg,cache/apt/archives/partial}
: > "$apt/var/lib/dpkg/status"
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Label: Debian' 'Created-By: Packages' | head -n 1)
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" > "$apt/etc/apt/sources.list"
options=(-qq -o "Dir=$apt" -o "Dir::State::status=$apt/var/lib/dpkg/status" -o "APT::Sandbox::User=$(id -un)")
depends() { apt-cache "${options[@]}" depends "$1" | sed -n 's/^ *Depends: //p'; }

apt-get "${options[@]}" update
# RAUC's service needs D-Bus; systemd it needs at no time.
libraries=$(depends rauc | grep -vx -e systemd -e dbus)
# shellcheck disable=SC2086 # a list of packages
apt-get "${options[@]}" install --yes --download-only --no-install-recommends dbus-daemon dbus-system-bus-common busybox-static $libraries
(cd "$apt/var/cache/apt/archives" && apt-get "${options[@]}" download rauc rauc-service $(depends linux-image-cloud-amd64))

from=$folder/unpacked
rm -rf "$from" && mkdir -p "$from/usr"/{bin,sbin,lib,lib64}
for name in bin sbin lib lib64; do ln -s "usr/$name" "$from/$name"; done
for package in "$apt"/var/cache/apt/archives/*.deb; do dpkg -x "$package" "$from"; done

# Only what runs: a processor that is played takes long to unpack more.
root=$folder/root
rm -rf "$root" && mkdir -p "$root"/{dev,etc/rauc,proc,run/dbus,sys,tmp,mnt,usr/bin,usr/sbin,usr/lib/modules,usr/lib64,usr/share,var/lib/rauc}
for name in bin sbin lib lib64; do ln -s "usr/$name" "$root/$name"; done
ln -s /run "$root/var/run"
cp "$from/usr/bin/busybox" "$from/usr/bin/rauc" "$from/usr/bin/dbus-daemon" "$root/usr/bin/"
for program in rauc dbus-daemon; do
  "$from/lib64/ld-linux-x86-64.so.2" --library-path "$from/usr/lib/x86_64-linux-gnu" --list "$from/usr/bin/$program"
done | grep -o "$from/[^ ]*" | sort -u | while read -r library; do
  mkdir -p "$root/$(dirname "${library#"$from"/}")"
  cp -L "$library" "$root/${library#"$from"/}"
done
mkdir -p "$root/usr/lib64" && cp -L "$from/lib64/ld-linux-x86-64.so.2" "$root/usr/lib64/"
cp -r "$from/usr/share/dbus-1" "$root/usr/share/"
# Each module after those that it needs, which it names itself.
declare -A taken
take_module() {
  local file=$root/usr/lib/modules/$1.ko found needed
  if [ -n "${taken[$1]:-}" ]; then return; fi
  taken[$1]=1
  found=$(find "$from/usr/lib/modules" -name "${1//[-_]/[-_]}.ko*" | head -n 1)
  if [ -z "$found" ]; then return; fi # built into the kernel
  case $found in *.xz) xz -dc "$found" ;; *) cat "$found" ;; esac > "$file"
  for needed in $(grep -aoz '^depends=.*' "$file" | tr -d '\0' | sed 's/^depends=//; s/,/ /g'); do take_module "$needed"; done
  echo "$1" >> "$root/usr/lib/modules/order"
}
for name in virtio_pci virtio_blk virtio_net virtio_console dm-verity dm-crypt cbc aes_generic squashfs loop nbd; do take_module "$name"; done
install -m 755 "$here/init" "$root/init"
cp "$from"/boot/vmlinuz-* "$folder/kernel"
(cd "$root" && find . | cpio --quiet -o -H newc -R 0:0) > "$folder/initramfs.new"
mv "$folder/initramfs.new" "$folder/initramfs"
rm -rf "$from" "$root"
