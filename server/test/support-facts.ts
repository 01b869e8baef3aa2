/**
 * Release cycles with the day on which their support ends, each a fact that its project publishes itself. The list of
 * endoflife.date is not copied.
 */
import { supportCycle, supportProduct } from './given-support.ts'

/** openssl-library.org/policies/releasestrat: two years, of an LTS five. */
const OPENSSL = supportProduct(
  'openssl',
  [
    supportCycle('3.6', '2026-11-01'),
    supportCycle('3.5', '2030-04-08', { isLts: true }),
    supportCycle('3.4', '2026-10-22'),
    supportCycle('3.2', '2025-11-23'),
    supportCycle('3.0', '2026-09-07', { isLts: true }),
    supportCycle('1.1.1', '2023-09-11', { isLts: true }),
    supportCycle('1.1.0', '2019-09-11'),
  ],
  { label: 'OpenSSL', identifiers: ['repology:openssl'] },
)

/** kernel.org/category/releases.html: projected ends of longterm branches. */
const LINUX = supportProduct(
  'linux',
  [
    supportCycle('6.12', '2028-12-31', { isLts: true }),
    supportCycle('6.6', '2027-12-31', { isLts: true }),
    supportCycle('6.1', '2027-12-31', { isLts: true }),
    supportCycle('5.15', '2026-12-31', { isLts: true }),
    supportCycle('5.10', '2026-12-31', { isLts: true }),
    supportCycle('4.19', '2024-12-05', { isLts: true }),
  ],
  { label: 'Linux kernel', identifiers: ['cpe:/o:linux:linux_kernel', 'repology:linux'] },
)

/** devguide.python.org/versions: the month of the end. */
const PYTHON = supportProduct(
  'python',
  [
    supportCycle('3.13', '2029-10-31'),
    supportCycle('3.12', '2028-10-31'),
    supportCycle('3.10', '2026-10-31'),
    supportCycle('3.7', '2023-06-27'),
    supportCycle('2.7', '2020-01-01'),
  ],
  {
    label: 'Python',
    identifiers: ['pkg:generic/python', 'pkg:deb/debian/python3', 'repology:python'],
  },
)

/** github.com/nodejs/release: the schedule. */
const NODE = supportProduct(
  'nodejs',
  [
    supportCycle('22', '2027-04-30', { isLts: true }),
    supportCycle('20', '2026-04-30', { isLts: true }),
    supportCycle('18', '2025-04-30', { isLts: true }),
  ],
  {
    label: 'Node.js',
    identifiers: ['pkg:generic/node', 'pkg:docker/library/node', 'repology:nodejs'],
  },
)

/** wiki.debian.org/DebianReleases and wiki.debian.org/LTS. */
const DEBIAN = supportProduct(
  'debian',
  [
    supportCycle('12', '2026-06-10', { eoesFrom: '2028-06-30', codename: 'Bookworm' }),
    supportCycle('11', '2024-08-14', { eoesFrom: '2026-08-31', codename: 'Bullseye' }),
    supportCycle('10', '2022-09-10', { eoesFrom: '2024-06-30', codename: 'Buster' }),
    supportCycle('9', '2020-07-18', { eoesFrom: '2022-07-01', codename: 'Stretch' }),
  ],
  { label: 'Debian', identifiers: ['cpe:2.3:o:debian:debian_linux'] },
)

/** alpinelinux.org/releases. */
const ALPINE = supportProduct(
  'alpine-linux',
  [supportCycle('3.22', '2027-05-01'), supportCycle('3.17', '2024-11-22')],
  { label: 'Alpine Linux', identifiers: ['cpe:2.3:o:alpinelinux:alpine_linux'] },
)

/** ubuntu.com/about/release-cycle. */
const UBUNTU = supportProduct('ubuntu', [supportCycle('20.04', '2025-05-31')], { label: 'Ubuntu' })

/** wiki.yoctoproject.org/wiki/Releases. */
const YOCTO = supportProduct(
  'yocto',
  [
    supportCycle('5.0', '2028-04-30', { isLts: true, codename: 'Scarthgap' }),
    supportCycle('4.0', '2026-04-30', { isLts: true, codename: 'Kirkstone' }),
  ],
  { label: 'Yocto Project', identifiers: ['cpe:2.3:a:linuxfoundation:yocto'] },
)

/** docs.zephyrproject.org/latest/releases: LTS 3. */
const ZEPHYR = supportProduct('zephyr', [supportCycle('3.7', '2029-07-27', { isLts: true })], {
  label: 'Zephyr',
  identifiers: ['cpe:2.3:o:zephyrproject:zephyr'],
})

export const SUPPORT_FACTS = [
  OPENSSL,
  LINUX,
  PYTHON,
  NODE,
  DEBIAN,
  ALPINE,
  UBUNTU,
  YOCTO,
  ZEPHYR,
] as const
