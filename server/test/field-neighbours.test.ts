/** Neighbours of the cases from the field, as generators and builders spell them, through import, upload and list. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from './app.ts'
import { givenJudgedSbom, importRecords } from './field-cases.ts'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
  await service.startWorker()
})

/** A record of NVD about all versions of a product between the two. */
function nvdRecord(number: number, product: string, bounds: object) {
  const cpeMatch = [
    { vulnerable: true, criteria: `cpe:2.3:a:${product}:*:*:*:*:*:*:*:*`, ...bounds },
  ]
  return {
    cve: {
      id: `CVE-2099-${number}`,
      lastModified: '2026-01-01T00:00:00.000',
      published: '2026-01-01T00:00:00.000',
      vulnStatus: 'Analyzed',
      descriptions: [{ lang: 'en', value: 'A flaw.' }],
      metrics: {},
      configurations: [{ nodes: [{ operator: 'OR', negate: false, cpeMatch }] }],
    },
  }
}

/** A record of a distribution: `fixes` has ecosystem, package and the version of the repair. */
function osvRecord(number: number, fixes: readonly (readonly [string, string, string])[]) {
  return {
    id: `TEST-CVE-2099-${number}`,
    modified: '2026-01-01T00:00:00Z',
    aliases: [`CVE-2099-${number}`],
    affected: fixes.map(([ecosystem, name, fixed]) => ({
      package: { ecosystem, name },
      ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed }] }],
    })),
  }
}

interface Neighbour {
  name: string
  purl?: string
  cpe?: string
  version?: string
}

/** What the service says of each neighbour: its findings, or why it is not judged. */
async function judge(components: readonly Neighbour[]): Promise<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-neighbours-'))
  const file = join(folder, 'in.cdx.json')
  const all = components.map((component) => ({ type: 'library', ...component }))
  const document = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components: all }
  writeFileSync(file, JSON.stringify(document))
  const { client, findings } = await givenJudgedSbom(service, file)
  const rows = await service.ctx.db
    .selectFrom('sbomComponents')
    .leftJoin('packages', 'packages.id', 'sbomComponents.packageId')
    .select(['packageName', 'sbomComponents.version', 'notMatchedReason', 'gap'])
    .where('sbomComponents.workspaceId', '=', client.workspaceId)
    .execute()
  return Object.fromEntries(
    rows.map(({ packageName, version, notMatchedReason, gap }) => {
      const own = findings
        .filter((one) => one.componentName === packageName && one.componentVersion === version)
        .map(({ cveId, confidence }) => `${cveId.slice(-5)} ${confidence}`)
        .toSorted()
      const name = [packageName, version ?? []].flat().join(' ')
      return [name, [...own, notMatchedReason ?? gap ?? []].flat().join(', ')]
    }),
  )
}

async function givenRecords(
  nvd: readonly object[],
  osv: readonly object[] = [],
  complete: string[] = [],
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-neighbours-'))
  const write = (name: string, lines: readonly object[]) =>
    writeFileSync(join(folder, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  write('nvd.jsonl', nvd)
  if (osv.length > 0) write('osv.jsonl', osv)
  await importRecords(service, folder, { complete })
}

it('lists what the distribution says of its kernel, and upstream’s records with Low', async () => {
  await givenRecords(
    [
      nvdRecord(60001, 'linux:linux_kernel', {
        versionStartIncluding: '4.0',
        versionEndExcluding: '7.0',
      }),
    ],
    [
      osvRecord(60002, [
        ['Debian:12', 'linux', '6.1.90-1'],
        ['Ubuntu:22.04:LTS', 'linux-oem-6.5', '6.5.0-1020.21'],
        ['Ubuntu:22.04:LTS', 'linux-nvidia-tegra', '5.15.0-1031.31'],
        ['Ubuntu:20.04:LTS', 'linux-lowlatency-hwe-5.15', '5.15.0-92.102~20.04.1'],
        ['Ubuntu:20.04:LTS', 'linux', '5.4.0-92.103'],
        ['Red Hat:enterprise_linux:9::baseos', 'kernel', '0:5.14.0-427.el9'],
        [
          'SUSE:Linux Enterprise Module for Basesystem 15 SP5',
          'kernel-default',
          '5.14.21-150500.55.30.1',
        ],
        ['openEuler:22.03-LTS-SP1', 'kernel', '5.10.0-136.50.0.130.oe2203sp1'],
        ['openEuler:22.03-LTS-SP3', 'kernel', '5.10.0-182.0.0.95.oe2203sp3'],
        ['Photon OS:5', 'linux-esx', '6.1.79-3.ph5'],
        ['Azure Linux:3', 'kernel', '6.6.35.1-1.azl3'],
        ['Alpine:v3.19', 'linux-rpi', '6.6.20-r0'],
      ]),
    ],
    ['Debian', 'Ubuntu', 'Red Hat', 'SUSE', 'openEuler', 'Photon OS', 'Azure Linux', 'Alpine'],
  )
  const listed = '60001 Low, 60002 High'
  const neighbours = {
    // Those of one build are one package, listed once, by the first of their names.
    'deb/debian/linux-image-6.1.0-18-amd64@6.1.76-1?upstream=linux-signed-amd64&distro=debian-12':
      '',
    'deb/debian/linux-headers-6.1.0-18-common@6.1.76-1?upstream=linux&distro=debian-12': '',
    'deb/debian/bpftool@7.1.0%2B6.1.76-1?upstream=linux%406.1.76-1&distro=debian-12': listed,
    'deb/ubuntu/linux-image-6.5.0-1016-oem@6.5.0-1016.17?distro=ubuntu-22.04': listed,
    'deb/ubuntu/linux-image-5.15.0-1030-nvidia-tegra@5.15.0-1030.30?distro=ubuntu-22.04': listed,
    'deb/ubuntu/linux-image-5.15.0-91-lowlatency@5.15.0-91.101~20.04.1?distro=ubuntu-20.04': listed,
    'deb/ubuntu/linux-image-5.4.0-91-lowlatency@5.4.0-91.102?distro=ubuntu-20.04': listed,
    'rpm/redhat/kernel-core@5.14.0-362.8.1.el9_3?distro=rhel-9.3': listed,
    'rpm/suse/kernel-default@5.14.21-150500.55.19.1?distro=sles-15.5': listed,
    // os-release of openEuler leaves out the service pack.
    'rpm/openeuler/kernel@5.10.0-136.49.0.129.oe2203sp1?distro=openEuler-22.03': listed,
    'rpm/openeuler/kernel@5.10.0-136.60.0.140.oe2203sp1?distro=openEuler-22.03': '60001 Low',
    'rpm/photon/linux-esx@6.1.79-2.ph5?distro=photon-5.0': listed,
    'rpm/azurelinux/kernel@6.6.22.1-1.azl3?distro=azurelinux-3.0': listed,
    'apk/alpine/linux-rpi@6.6.14-r0?distro=alpine-3.19.1': listed,
    // Nobody's records of Amazon Linux are read.
    'rpm/amzn/kernel6.12@6.12.20-23.97.amzn2023?distro=amzn-2023':
      '60001 Low, #release Amazon Linux 2023',
    // Kernels that others built for the release.
    'deb/debian/linux-image-6.1.55-acme@6.1.55-acme-3?upstream=linux-upstream&distro=debian-12':
      '60001 Medium',
    'deb/debian/linux-image-5.10.168-ti-r71@1bookworm?distro=debian-12': '60001 Medium',
    'deb/debian/proxmox-kernel-6.5.11-7-pve-signed@6.5.11-7?distro=debian-12': '60001 Medium',
    'deb/debian/linux-image-6.6.31%2Brpt-rpi-v8@1%3A6.6.31-1%2Brpt1?upstream=linux&distro=debian-12':
      '60001 Medium',
    'deb/debian/linux-image-current-sunxi64@23.8.1?distro=debian-12': '#unknown',
    'deb/ubuntu/nvidia-l4t-kernel@4.9.253-tegra-32.7.4-20230608212426?distro=ubuntu-22.04':
      '60001 Medium',
    'rpm/redhat/kernel@6.1.55-1?distro=rhel-9.3': '60001 Medium',
    // A key that rpm trusts is no build of anybody.
    'rpm/redhat/gpg-pubkey@fd431d51-4ae0493b?distro=rhel-9.3': '',
    // Neither headers nor firmware, nor what only points to a kernel.
    'apk/alpine/linux-headers@6.5-r0?distro=alpine-3.19.1': '',
    'deb/ubuntu/linux-firmware@20220329.git681281e4-0ubuntu3.25?distro=ubuntu-22.04': '',
    'deb/ubuntu/linux-image-generic@5.15.0.91.88?upstream=linux-meta&distro=ubuntu-22.04': '',
    'rpm/photon/Linux-PAM@1.5.3-2.ph5?distro=photon-5.0': '',
  }

  const judged = await judge(Object.keys(neighbours).map((name) => ({ name, purl: `pkg:${name}` })))

  expect(judged).toEqual(neighbours)
})

it('takes what builders write behind a release for this release, and no branch for one', async () => {
  const last = (number: number, product: string, version: string) =>
    nvdRecord(number, product, { versionStartIncluding: '0.1', versionEndIncluding: version })
  await givenRecords([
    last(61001, 'busybox:busybox', '1.30.0'),
    last(61002, 'denx:u-boot', '2022.01'),
    last(61003, 'zephyrproject:zephyr', '3.5.0'),
    last(61004, 'openssl:openssl', '1.1.1k'),
  ])
  const neighbours: Record<string, string> = {
    'busybox BusyBox v1.30.0 (2020-01-01 10:00:00 UTC) multi-call binary.': '61001 Medium',
    'busybox 1.30.0 patched': '61001 Medium',
    'busybox 1.30.0^20240101git1a2b3c4': '61001 Medium',
    'busybox 1.30.0#5': '61001 Medium',
    'busybox 1.31.0 (2020-01-01)': '',
    'busybox 1_30_stable': 'version missing',
    'u-boot U-Boot 2022.01 (Mar 03 2023 - 10:20:30 +0000)': '61002 Medium',
    'u-boot 2022.01.imx': '61002 Medium',
    'u-boot lf_v2022.01': '61002 High',
    'u-boot 2022.04 (Mar 03 2023)': '',
    'u-boot 08.06.00.007': 'version missing',
    'zephyr 3.5.99-ncs1': '61003 Medium',
    'zephyr 3.4.99-ncs1-2': '61003 High',
    'zephyr 3.6.99': '',
    'zephyr v3.5-branch': 'version missing',
    'zephyr 0.0.0-unknown': 'version missing',
    'openssl OpenSSL 1.1.1k  FIPS 25 Mar 2021': '61004 High',
    'openssl OpenSSL_1_1_1-stable': 'version missing',
    'openssl ^1.1.1': 'version missing',
  }

  const judged = await judge(
    Object.keys(neighbours).map((text) => {
      const [name = '', version = ''] = text.split(/ (.*)/s)
      return { name, version, purl: `pkg:generic/${name}` }
    }),
  )

  expect(judged).toEqual(neighbours)
})

it('knows what board support packages and packagers call a product', async () => {
  const until = (number: number, product: string, versionEndExcluding: string) =>
    nvdRecord(number, product, { versionStartIncluding: '0.1', versionEndExcluding })
  await givenRecords([
    until(62001, 'linux:linux_kernel', '6.0'),
    until(62002, 'denx:u-boot', '2023.01'),
    until(62003, 'arm:trusted_firmware-a', '2.7'),
    until(62004, 'linaro:op-tee', '3.20'),
    until(62005, 'openssl:openssl', '1.1.1z'),
    until(62006, 'busybox:busybox', '1.31.0'),
  ])
  const kernel = '60001 High, 62001 High'
  const neighbours: Record<string, string> = {
    'linux-stm32mp 5.15.67-stm32mp-r2.1': kernel,
    'linux-mchp 5.15.103': kernel,
    'linux-jammy-nvidia-tegra 5.15.136': kernel,
    'linux-phytec-imx 5.10.72': kernel,
    'linux-stm32mp-headers 5.15.68': '#unknown',
    'u-boot-imx 2022.04': '62002 High',
    'u-boot-fslc 2022.04+fslc': '62002 High',
    'u-boot-stm32mp-splash 2022.04': '#unknown',
    'tf-a-stm32mp 2.6-stm32mp-r2': '62003 High',
    'imx-atf 2.6': '62003 High',
    'optee-os-imx 3.17.0.imx': '62004 High',
    'compat-openssl10 1.0.2o': '61004 High, 62005 High',
    'openssl1.1-compat 1.1.1k': '61004 High, 62005 High',
    'busybox-static 1.30.1': '62006 Medium',
  }

  const judged = await judge(
    Object.keys(neighbours).map((text) => {
      const [name = '', version = ''] = text.split(' ')
      return {
        name,
        version,
        cpe: `cpe:2.3:*:*:${name}:${version.replace('+', '\\+')}:*:*:*:*:*:*:*`,
      }
    }),
  )

  expect(judged).toEqual(neighbours)
})
