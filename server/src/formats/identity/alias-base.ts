/** Libraries and programs of a Unix system, its tools and its updates. */
import { parseAliasTable } from './alias-table.ts'

export const BASE_ALIASES = parseAliasTable(String.raw`
APT | debian:advanced_package_tool debian:apt | | apt | = | https://salsa.debian.org/apt-team/apt
acl | xfs:acl acl_project:acl | git.savannah.nongnu.org/git/acl | acl | = | https://savannah.nongnu.org/projects/acl
attr | attr_project:attr | git.savannah.nongnu.org/git/attr | attr | = | https://savannah.nongnu.org/projects/attr
Bash | gnu:bash | git.savannah.gnu.org/git/bash | bash | = |
bc | gnu:bc | | | bc | https://www.gnu.org/software/bc/
GNU binutils | gnu:binutils | bminor/binutils-gdb sourceware.org/git/binutils-gdb | binutils | = |
Bison | gnu:bison | akimd/bison | bison | = |
btrfs-progs | | kdave/btrfs-progs | btrfs-progs btrfs-tools | btrfs-progs | https://github.com/kdave/btrfs-progs
containerd | linuxfoundation:containerd | containerd/containerd | containerd containerd-opencontainers | containerd | https://github.com/containerd/containerd/security/advisories
GNU coreutils | gnu:coreutils | coreutils/coreutils | coreutils | = |
GNU cpio | gnu:cpio | git.savannah.gnu.org/git/cpio | cpio | = |
cronie | fedorahosted:cronie | cronie-crond/cronie | cronie | = |
crun | crun_project:crun | containers/crun | crun | = |
cryptsetup | cryptsetup_project:cryptsetup | mbroz/cryptsetup gitlab.com/cryptsetup/cryptsetup | cryptsetup | = |
CUPS | apple:cups openprinting:cups easy_software_products:cups cups:cups | apple/cups openprinting/cups | cups | = |
D-Bus | freedesktop:dbus d-bus_project:d-bus d-bus:d-bus | freedesktop/dbus gitlab.freedesktop.org/dbus/dbus | dbus d-bus | = |
dbus-broker | dbus-broker_project:dbus-broker | bus1/dbus-broker | dbus-broker | = |
diffutils | gnu:diffutils | | diffutils | = | https://www.gnu.org/software/diffutils/
dosfstools | dosfstools_project:dosfstools | dosfstools/dosfstools | dosfstools | = |
dpkg | debian:dpkg | guillemj/dpkg | dpkg | = |
e2fsprogs | e2fsprogs_project:e2fsprogs ext2_filesystems_utilities:e2fsprogs | tytso/e2fsprogs | e2fsprogs | = |
elfutils | elfutils_project:elfutils | sourceware.org/git/elfutils | elfutils | = |
eudev | | eudev-project/eudev gentoo/eudev | eudev | eudev | https://github.com/eudev-project/eudev
exfatprogs | namjaejeon:exfatprogs | exfatprogs/exfatprogs namjaejeon/exfatprogs | exfatprogs | = |
f2fs-tools | f2fs-tools_project:f2fs-tools | jaegeuk/f2fs-tools | f2fs-tools | = |
file | file:file file_project:file christos_zoulas:file | file/file | file | file | https://www.darwinsys.com/file/
findutils | gnu:findutils | | findutils | = | https://www.gnu.org/software/findutils/
flex | westes:flex flex_project:flex will_estes:flex | westes/flex | flex | flex | https://github.com/westes/flex
libfuse | libfuse_project:libfuse fuse_project:fuse fuse:fuse | libfuse/libfuse | libfuse fuse fuse3 | fuse fuse3 | https://github.com/libfuse/libfuse
GNU awk | gnu:gawk | git.savannah.gnu.org/git/gawk | gawk | = |
GCC | gnu:gcc | gcc-mirror/gcc gcc.gnu.org/git/gcc | gcc libgcc gcc-runtime | gcc gcc-10 gcc-11 gcc-12 gcc-13 gcc-14 | https://gcc.gnu.org/
GDB | gnu:gdb | | gdb | = |
gettext | gnu:gettext | git.savannah.gnu.org/git/gettext | gettext | = |
Git | git-scm:git git:git git_project:git | git/git | git | git | https://git-scm.com/
GLib | gnome:glib | gnome/glib gitlab.gnome.org/gnome/glib | glib glib-2.0 glib2 libglib2 | glib2.0 glib2 |
GMP | gmplib:gmp | | gmp | gmp |
GNU grep | gnu:grep | | grep | = |
i2c-tools | i2c-tools_project:i2c-tools | | i2c-tools | = |
inetutils | gnu:inetutils | | inetutils | = |
kmod | kernel:kmod | kmod-project/kmod | kmod | = |
Kerberos 5 of MIT | mit:kerberos_5 mit:kerberos mit:krb5 | krb5/krb5 | krb5 kerberos_5 kerberos | = | https://web.mit.edu/kerberos/advisories/
less | greenwoodsoftware:less gnu:less | gwsw/less | | less | https://www.greenwoodsoftware.com/less/
libcap | libcap_project:libcap libcap:libcap | | libcap | libcap libcap2 |
libcap-ng | libcap-ng_project:libcap-ng | stevegrubb/libcap-ng | libcap-ng | = |
libedit | libedit_project:libedit | | libedit | = |
libffi | libffi_project:libffi | libffi/libffi | libffi | = |
libidn | gnu:libidn | | libidn | = |
libidn2 | gnu:libidn2 | gitlab.com/libidn/libidn2 | libidn2 | = |
libpsl | | rockdaboot/libpsl | libpsl | libpsl | https://github.com/rockdaboot/libpsl
libseccomp | libseccomp_project:libseccomp | seccomp/libseccomp | libseccomp | = |
libselinux | selinuxproject:libselinux | | libselinux | libselinux | https://github.com/SELinuxProject/selinux
libunwind | libunwind_project:libunwind | libunwind/libunwind | libunwind | = |
libusb | libusb:libusb | libusb/libusb | libusb1 libusb-1.0 libusb | libusb1 libusb-1.0 libusbx | https://libusb.info/
Linux-PAM | linux-pam:linux-pam kernel:linux-pam | linux-pam/linux-pam | libpam linux-pam | pam linux-pam | https://github.com/linux-pam/linux-pam
LLVM | llvm:llvm | llvm/llvm-project | llvm | |
lm-sensors | lm_sensors:lm_sensors | lm-sensors/lm-sensors | lm-sensors lmsensors lm_sensors | lm-sensors lm_sensors |
logrotate | logrotate_project:logrotate | logrotate/logrotate | logrotate | = |
Lua | lua:lua | lua/lua | lua | lua lua5.3 lua5.4 lua5.1 | https://www.lua.org/bugs.html
LuaJIT | luajit:luajit | luajit/luajit | luajit | = |
LXC | linuxcontainers:lxc | lxc/lxc | lxc | = |
LVM2 | redhat:lvm2 heinz_mauelshagen:lvm2 | lvmteam/lvm2 sourceware.org/git/lvm2 | lvm2 | = | https://sourceware.org/lvm2/
GNU m4 | gnu:m4 | | m4 | = |
make | gnu:make | | | make-dfsg make | https://www.gnu.org/software/make/
Mender client | northern.tech:mender | mendersoftware/mender | mender-client | mender-client |
MPFR | mpfr:gnu_mpfr | gitlab.inria.fr/mpfr/mpfr | mpfr | mpfr mpfr4 | https://www.mpfr.org/
mtd-utils | mtd-utils_project:mtd-utils | sigma-star/mtd-utils git.infradead.org/mtd-utils | mtd-utils | = |
nano | gnu:nano | | nano | = |
ncurses | gnu:ncurses invisible-island:ncurses | mirror/ncurses | ncurses | = | https://invisible-island.net/ncurses/
newlib | newlib_project:newlib | sourceware.org/git/newlib-cygwin | newlib | = |
picolibc | | picolibc/picolibc keith-packard/picolibc | picolibc | picolibc | https://github.com/picolibc/picolibc
NTFS-3G | tuxera:ntfs-3g ntfs-3g:ntfs-3g | tuxera/ntfs-3g | ntfs-3g ntfs-3g-ntfsprogs | ntfs-3g |
opkg | | git.yoctoproject.org/opkg | opkg | opkg | https://git.yoctoproject.org/opkg/
OSTree | ostree_project:ostree | ostreedev/ostree | ostree | = |
parted | parted_project:parted | | parted | = |
GNU patch | gnu:patch | git.savannah.gnu.org/git/patch | patch | patch |
Perl | perl:perl larry_wall:perl shay:perl | perl/perl5 | perl | = | https://www.cve.org/CVERecord?id=CVE-2023-47038
polkit | polkit_project:polkit freedesktop:polkit | polkit-org/polkit gitlab.freedesktop.org/polkit/polkit | polkit | = policykit-1 |
popt | popt_project:popt | rpm-software-management/popt | popt | = |
procps-ng | procps-ng_project:procps-ng procps_project:procps | gitlab.com/procps-ng/procps | procps procps-ng | = |
Python | python:python python_software_foundation:python | python/cpython | python python3 cpython | python python3 python3.9 python3.11 python3.12 python3.13 | https://www.python.org/dev/security/
RAUC | pengutronix:rauc | rauc/rauc | rauc | = |
GNU readline | gnu:readline | | readline | readline |
RPM | rpm:rpm | rpm-software-management/rpm | rpm | rpm | https://rpm.org/
rsyslog | rsyslog:rsyslog | rsyslog/rsyslog | rsyslog | = |
runc | linuxfoundation:runc opencontainers:runc | opencontainers/runc | runc runc-opencontainers | runc | https://github.com/opencontainers/runc/security/advisories
screen | gnu:screen | | | screen | https://www.gnu.org/software/screen/
GNU sed | gnu:sed | | sed | = |
shadow | shadow_project:shadow debian:shadow | shadow-maint/shadow | shadow | shadow shadow-utils | https://github.com/shadow-maint/shadow
smartmontools | smartmontools:smartmontools | smartmontools/smartmontools | smartmontools | = |
squashfs-tools | squashfs-tools_project:squashfs-tools squashfs_project:squashfs | plougher/squashfs-tools | squashfs-tools | = |
strace | strace_project:strace paul_kranenburg:strace | strace/strace | strace | = |
sudo | sudo_project:sudo todd_miller:sudo sudo:sudo gratisoft:sudo | sudo-project/sudo millert/sudo | sudo | = | https://www.sudo.ws/security/advisories/
sysstat | sysstat_project:sysstat sysstat:sysstat | sysstat/sysstat | sysstat | = |
syslog-ng | oneidentity:syslog-ng balabit:syslog-ng | syslog-ng/syslog-ng | syslog-ng | = |
GNU tar | gnu:tar | git.savannah.gnu.org/git/tar | tar | tar |
texinfo | gnu:texinfo | | texinfo | = |
tmux | tmux_project:tmux nicholas_marriott:tmux | tmux/tmux | tmux | = | https://github.com/tmux/tmux
Toybox | toybox_project:toybox | landley/toybox | toybox | = |
tzdata | | eggert/tz | tzdata | tzdata | https://www.iana.org/time-zones
uClibc | uclibc:uclibc | kraj/uclibc | uclibc | |
uClibc-ng | uclibc-ng_project:uclibc-ng | wbx-github/uclibc-ng | uclibc-ng | |
util-linux | kernel:util-linux linux:util-linux util-linux_project:util-linux andries_brouwer:util-linux | util-linux/util-linux karelzak/util-linux | util-linux util-linux-libuuid | util-linux | https://github.com/util-linux/util-linux
Vim | vim:vim vim_development_group:vim | vim/vim | vim | = | https://github.com/vim/vim/security/advisories
xfsprogs | sgi:xfsprogs | | xfsprogs | = |
Zsh | zsh:zsh zsh_project:zsh | zsh-users/zsh | zsh | = |
`)
