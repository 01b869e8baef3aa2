/** The source packages of the labelled binary packages, which the labels do not state but scanners of images read. */
import type { Distribution } from './image-packages.ts'

type Source = readonly [binary: RegExp, source: string]

/** As Debian and Ubuntu build them (packages.debian.org). */
const DEB: readonly Source[] = [
  [/^(?:libc6|libc-bin|libc-l10n|locales|multiarch-support)$/, 'glibc'],
  [
    /^(?:bsdutils|mount|fdisk|util-linux|libblkid1|libfdisk1|libmount1|libsmartcols1|libuuid1)$/,
    'util-linux',
  ],
  [/^(?:libgssapi-krb5-2|libk5crypto3|libkrb5-3|libkrb5support0|krb5-locales)$/, 'krb5'],
  [/^lib.*-heimdal$/, 'heimdal'],
  [/^(?:libncursesw?\d|libtinfo\d|ncurses-.*)$/, 'ncurses'],
  [/^libssl[\d.]+$/, 'openssl'],
  [/^libldap-/, 'openldap'],
  [/^(?:libsystemd0|libudev1|udev|systemd-sysv)$/, 'systemd'],
  [/^libpcre3$/, 'pcre3'],
  [/^libpcre2-/, 'pcre2'],
  [/^(?:perl-base|libperl5.*|perl-modules-.*)$/, 'perl'],
  [/^(?:login|passwd)$/, 'shadow'],
  [/^libgnutls/, 'gnutls28'],
  [/^(?:libnettle|libhogweed)\d$/, 'nettle'],
  [/^libgmp10$/, 'gmp'],
  [/^libsepol1$/, 'libsepol'],
  [/^(?:e2fslibs|libcomerr2|libcom-err2|libss2|libext2fs2|logsave)$/, 'e2fsprogs'],
  [/^libcurl/, 'curl'],
  [/^libdb5\.3$/, 'db5.3'],
  [/^(?:libapt-pkg.*|apt-transport-https)$/, 'apt'],
  [/^zlib1g$/, 'zlib'],
  [/^libsqlite3-0$/, 'sqlite3'],
  [/^libicu\d+$/, 'icu'],
  [/^libxslt1\.1$/, 'libxslt'],
  [/^liblz4-1$/, 'lz4'],
  [/^liblzma5$/, 'xz-utils'],
  [/^libbz2-1\.0$/, 'bzip2'],
  // A binary whose version is not that of its source: Debian 8.
  [/^(?:dmsetup|libdevmapper.*)$/, 'lvm2@2.02.111-2.2'],
  [/^libcryptsetup4$/, 'cryptsetup'],
  [/^libaudit/, 'audit'],
  [/^libpam/, 'pam'],
  [/^libsasl2/, 'cyrus-sasl2'],
  [/^inetutils-/, 'inetutils'],
  [/^libffi6$/, 'libffi'],
  [/^libidn11$/, 'libidn'],
  [/^libidn2-0$/, 'libidn2'],
  [/^libssh2-1$/, 'libssh2'],
  [/^librtmp1$/, 'rtmpdump'],
  [/^libprocps3$/, 'procps'],
  [/^openssh-/, 'openssh'],
  [/^git-man$/, 'git'],
  [/^libexpat1$/, 'expat'],
  [/^libpng16-16$/, 'libpng1.6'],
  [/^libpng12-0$/, 'libpng'],
  [/^libtirpc/, 'libtirpc'],
  [/^libseccomp2$/, 'libseccomp'],
  [/^ntpdate$/, 'ntp'],
  [/^vim-/, 'vim'],
  [/^(?:lib)?python(\d\.\d+)/, 'python$1'],
  [/^python3-yaml$/, 'pyyaml'],
  [/^openjdk-11-/, 'openjdk-lts'],
  [/^libdbus-1-3$/, 'dbus'],
  [/^libglib2\.0-0$/, 'glib2.0'],
  [/^libcap2$/, 'libcap2'],
  [/^(?:libreadline6|readline-common)$/, 'readline6'],
  [/^libbsd0$/, 'libbsd'],
  [/^x11-common$/, 'xorg'],
  [/^busybox-initramfs$/, 'busybox'],
  [/^gcc-([\d.]+)-base$/, 'gcc-$1'],
  [/^(?:dirmngr|gnupg.*|gpg.*)$/, 'gnupg2'],
]

/** As Red Hat, Amazon and SUSE build them. */
const RPM: readonly Source[] = [
  [/^(?:glibc-.*|libcrypt)$/, 'glibc'],
  [/^libcurl|^curl-/, 'curl'],
  [/^vim-/, 'vim'],
  [/^krb5-libs$/, 'krb5'],
  [/^ncurses-/, 'ncurses'],
  [/^openssl-libs$|^libopenssl1_0_0$/, 'openssl'],
  [/^sqlite-libs$/, 'sqlite'],
  [/^(?:rpm-.*|python3-rpm)$/, 'rpm'],
  [/^systemd-|^lib(?:systemd0|udev1)$/, 'systemd'],
  [/^(?:python3-libs|platform-python)$/, 'python3'],
  [/^python3-pip-wheel$/, 'python-pip'],
  [/^python3-urllib3$/, 'python-urllib3'],
  [/^python-libs$/, 'python'],
  [/^(?:libblkid|libmount|libsmartcols|libuuid|libfdisk)1?$/, 'util-linux'],
  [/^libcom_err2?$/, 'e2fsprogs'],
  [/^(?:libgcc|libstdc\+\+)$/, 'gcc'],
  [/^bzip2-libs$/, 'bzip2'],
  [/^file-libs$/, 'file'],
  [/^elfutils-/, 'elfutils'],
  [/^dbus-/, 'dbus'],
  [/^lz4-libs$/, 'lz4'],
  [/^xz-libs$|^liblzma5$/, 'xz'],
  [/^lua-libs$/, 'lua'],
  [/^libzstd$/, 'zstd'],
  [/^nss-/, 'nss'],
  [/^audit-libs$/, 'audit'],
  [/^cracklib-/, 'cracklib'],
  [/^cyrus-sasl-lib$|^libsasl2-3$/, 'cyrus-sasl'],
  [/^device-mapper/, 'lvm2'],
  [/^libdb-utils$/, 'libdb'],
  [/^libxml2-python$|^python3-libxml2$|^libxml2-2$/, 'libxml2'],
  [/^p11-kit-/, 'p11-kit'],
  [/^avahi-libs$/, 'avahi'],
  [/^cryptsetup-libs$/, 'cryptsetup'],
  [/^cups-libs$/, 'cups'],
  [/^(?:dnf-data|python3-dnf|yum)$/, 'dnf'],
  [/^python3-dnf-plugins-core$/, 'dnf-plugins-core'],
  [/^(?:python3-hawkey|python3-libdnf)$/, 'libdnf'],
  [/^gdb-/, 'gdb'],
  [/^jasper-/, 'jasper'],
  [/^java-1\.8\.0-openjdk/, 'java-1.8.0-openjdk'],
  [/^libX11-/, 'libX11'],
  [/^libssh-/, 'libssh'],
  [/^(?:dhclient|dhcp-common)$/, 'dhcp'],
  [/^openldap-|^libldap-/, 'openldap'],
  [/^nodejs-|^npm$/, 'nodejs'],
  [/^libnghttp2$/, 'nghttp2'],
  [/^libpcre1$/, 'pcre'],
  [/^libexpat1$/, 'expat'],
  [/^libksba8$/, 'libksba'],
  [/^libtasn1-6$/, 'libtasn1'],
  [/^libz1$/, 'zlib'],
  [/^perl-base$/, 'perl'],
]

const APK: readonly Source[] = [
  [/^lib(?:crypto|ssl)1\.1$/, 'openssl'],
  [/^ssl_client$/, 'busybox'],
  [/^sqlite-libs$/, 'sqlite'],
  [/^ruby-/, 'ruby'],
  [/^(?:gmp-dev|libgmpxx)$/, 'gmp'],
  [/^nghttp2-libs$/, 'nghttp2'],
  [/^npm$/, 'nodejs'],
  [/^(?:ld-linux|glibc-locale-posix)$/, 'glibc'],
]

const SOURCES = { deb: DEB, rpm: RPM, apk: APK }

export function sourceNameOf(
  { type, namespace }: Distribution,
  name: string,
  version: string,
): string {
  const [pattern, source = name] = SOURCES[type].find(([binary]) => binary.test(name)) ?? []
  if (type === 'deb') {
    // Named after its branch, as are the libraries it builds.
    if (/^(?:libstdc\+\+6|libgcc1|libatomic1)$/.test(name)) return compilerOf(version)
    if (source === 'gnupg2' && version.startsWith('1.')) return 'gnupg'
    if (source === 'glibc' && namespace === 'ubuntu' && /^2\.1[79]-/.test(version)) return 'eglibc'
  }
  if (type === 'rpm' && namespace === 'sles' && source === 'openssl') return 'openssl-1_0_0'
  return pattern === undefined ? name : source.replace('$1', pattern.exec(name)?.[1] ?? '')
}

/** `4.9` of 4.9.2-10, `6` of 6.3.0-18: from version 5, a branch has one number. */
function compilerOf(version: string): string {
  const [, major = '', minor = ''] = /^(?:\d+:)?(\d+)\.(\d+)/.exec(version) ?? []
  return `gcc-${Number(major) < 5 ? `${major}.${minor}` : major}`
}
