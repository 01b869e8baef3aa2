/**
 * The packages of one kernel build: image, modules, headers, tools. All have the source of the kernel and its version, so records
 * of the distribution, which name the source or the package `kernel`, hold for each. The rules below stand in where an SBOM states
 * no source package.
 */
import type { Distro } from './distro.ts'
import { readKernelRelease } from './kernel-releases.ts'

interface KernelPackage {
  type: string
  name: string
  version: string | undefined
  distro: Distro | undefined
}

/** The source package of a kernel's binary package; undefined for other packages. */
export function findKernelSource({
  type,
  name,
  version,
  distro,
}: KernelPackage): string | undefined {
  if (version === undefined) return undefined
  const lowered = name.toLowerCase()
  if (type === 'rpm') return ofRpm(lowered, version, distro?.ecosystem)
  if (type !== 'deb' || !KERNEL_OF_DEB.test(lowered)) return undefined
  return distro?.ecosystem === 'Ubuntu' ? ofUbuntu(lowered, version) : ofDebian(version)
}

/**
 * Sub-packages of `kernel.spec` of Fedora and Red Hat
 * (https://gitlab.com/redhat/centos-stream/rpms/kernel/-/blob/c9s/kernel.spec), which their rebuilds and Amazon share.
 */
const KERNEL_OF_RPM =
  /^(?:kernel(?:-(?:core|modules(?:-(?:core|extra|extra-matched|internal|partner))?|devel(?:-matched)?|headers|cross-headers|tools(?:-libs(?:-devel)?)?|doc|abi-(?:whitelists|stablelists)|(?:debug|zfcpdump|64k|rt|uki-virt)(?:-.*)?|selftests-internal|ipaclones-internal))?|perf|python3?-perf|rtla|rv)$/

function ofRpm(name: string, version: string, ecosystem: string | undefined): string | undefined {
  // SUSE names its packages by flavour, and its records name each.
  if (ecosystem === 'SUSE' || ecosystem === 'openSUSE') return undefined
  if (/^kernel-uek(?:$|-)/.test(name)) return 'kernel-uek'
  if (!KERNEL_OF_RPM.test(name)) return undefined
  // Up to release 8 the kernel for real time has a source of its own, with versions such as 4.18.0-348.rt7.130.el8.
  return /\.rt\d/.test(version) ? 'kernel-rt' : 'kernel'
}

/** https://sources.debian.org/src/linux/latest/debian/control/ and https://packages.ubuntu.com/source/jammy/linux */
const KERNEL_OF_DEB =
  /^linux-(?:(?:image|headers|modules|modules-extra|buildinfo|kbuild|source|support|compiler|config|perf|doc|tools|cloud-tools)-.*\d.*|libc-dev|perf|image-(?:amd64|arm64|armmp|686|rt-.*|cloud-.*)|headers-(?:amd64|arm64|armmp|686)|tools-common|.*-(?:headers|tools|cloud-tools)-\d.*)$/

/** A later kernel for an older release has a source of its own: `linux-6.1` 6.1.90-1~deb11u1. */
function ofDebian(version: string): string {
  return /~deb\d+u\d+$/.test(version) ? `linux-${majorMinor(version)}` : 'linux'
}

/** Kernels for clouds and boards, each with a source of its own (https://launchpad.net/ubuntu/+source/linux-nvidia-tegra and its neighbours). */
const FLAVOURS =
  /-(aws|azure|gcp|gke|gkeop|ibm|kvm|oracle|raspi-realtime|raspi|oem|nvidia-tegra-igx|nvidia-tegra|nvidia|xilinx-zynqmp|riscv|intel-iot-realtime|intel-iotg|bluefield|lowlatency|realtime)(?:-|$)/

function ofUbuntu(name: string, version: string): string {
  const flavour = FLAVOURS.exec(name)?.[1]
  const series = majorMinor(version)
  // 6.2.0-39.40~22.04.1: the kernel of a later release.
  const later = /~\d\d\.\d\d/.test(version) ? `-${series}` : ''
  // Those for machines of a maker are later ones, too, but for the first: `linux-oem-6.5`.
  if (flavour === 'oem') return series === '4.15' ? 'linux-oem' : `linux-oem-${series}`
  const isOfMain = flavour === undefined || (flavour === 'lowlatency' && !hasOwnLowLatency(series))
  if (isOfMain) return later === '' ? 'linux' : `linux-hwe${later}`
  return flavour === 'lowlatency' && later !== ''
    ? `linux-lowlatency-hwe${later}`
    : `linux-${flavour}${later}`
}

/** Before 5.15 the kernel of low latency was a package of the main source (https://launchpad.net/ubuntu/+source/linux-lowlatency). */
function hasOwnLowLatency(series: string): boolean {
  const [major = 0, minor = 0] = series.split('.').map(Number)
  return major > 5 || (major === 5 && minor >= 15)
}

function majorMinor(version: string): string {
  return /^(?:\d+:)?(\d+\.\d+)/.exec(version)?.[1] ?? version
}

/**
 * Whether the version of a Debian package of a kernel is not the kernel's, as builders of images for boards count: Armbian's
 * `linux-image-current-sunxi64` 23.8.1, BeagleBoard's `linux-image-5.10.168-ti-r71` 1bookworm. Distributions state the release in the version.
 */
export function isCountedApart(type: string, name: string, version: string | undefined): boolean {
  if (type !== 'deb' || version === undefined || !/^linux-(?:image|headers|modules)-/.test(name))
    return false
  const named = findNamedKernel(name)
  const isOther = named !== undefined && majorMinor(named) !== majorMinor(version)
  return isOther || readKernelRelease(version) === undefined
}

/** `5.10.168` of `linux-image-5.10.168-ti-r71`. */
export function findNamedKernel(name: string): string | undefined {
  return /^linux-(?:image|headers|modules)-(\d+\.\d+\.\d+)(?![\d.])/.exec(name)?.[1]
}
