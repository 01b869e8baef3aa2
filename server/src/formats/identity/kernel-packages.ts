/**
 * The packages of one kernel build: image, modules, headers, tools. All have the source of the kernel and its version, so records
 * of the distribution, which name the source or the package `kernel`, hold for each. The rules below stand in where an SBOM states
 * no source package.
 */
import type { Distro } from './distro.ts'

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

/** Kernels for clouds and boards, each with a source of its own. */
const FLAVOURS =
  /-(aws|azure|gcp|gke|gkeop|ibm|kvm|oracle|raspi|oem|nvidia|xilinx-zynqmp|riscv|intel-iotg|bluefield|lowlatency|realtime)(?:-|$)/

function ofUbuntu(name: string, version: string): string {
  const flavour = FLAVOURS.exec(name)?.[1]
  // 6.2.0-39.40~22.04.1: the kernel of a later release.
  const isLater = /~\d\d\.\d\d/.test(version)
  const later = isLater ? `-${majorMinor(version)}` : ''
  if (flavour !== undefined) return `linux-${flavour}${later}`
  return isLater ? `linux-hwe${later}` : 'linux'
}

function majorMinor(version: string): string {
  return /^(?:\d+:)?(\d+\.\d+)/.exec(version)?.[1] ?? version
}
