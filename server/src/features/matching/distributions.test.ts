/**
 * What distributions' own records say of their packages, on published records: source and binary names, several releases,
 * epochs, rebuilds, repairs without a new version of upstream, and packages that are no longer supported.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeAll, expect, it } from 'vitest'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import { parseNvdRecord } from '../../formats/advisories/nvd.ts'
import { parseOsvRecord } from '../../formats/advisories/osv.ts'
import type { Advisory, ParsedRecord } from '../../formats/advisories/model.ts'
import { identifyPackage } from '../../formats/identity.ts'
import { matchPackage } from './match.ts'
import { decideMatch } from './verdict-precedence.ts'

const FILES = [
  'osv/almalinux.jsonl.gz',
  'osv/alpine-secdb-2020.jsonl.gz',
  'osv/bitnami.jsonl.gz',
  'osv/debian-dsa-dla.jsonl.gz',
  'osv/rustsec.jsonl.gz',
  'nvd/nvd20-firmware-converted-from-11.jsonl.gz',
]

describeWithSharedData('records of distributions', (folder) => {
  let lines: string[]
  beforeAll(() => {
    lines = FILES.flatMap((path) =>
      gunzipSync(readFileSync(join(folder, path)))
        .toString('utf8')
        .trimEnd()
        .split('\n'),
    )
  })

  function recordOf(id: string): Advisory {
    const line = lines.find((text) => text.includes(`"id":"${id}"`))
    const record = JSON.parse(line ?? 'null') as { cve?: unknown } | null
    const parsed: ParsedRecord = record?.cve ? parseNvdRecord(record) : parseOsvRecord(record)
    if (!parsed.ok) throw new Error(`${id}: ${parsed.reason}`)
    return parsed.value
  }

  /** The confidence of the match, or that the records say it is not affected, or say nothing. */
  function answer(purl: string, ...ids: string[]): string {
    const identified = identifyPackage({
      packageName: 'package',
      version: undefined,
      vendor: undefined,
      purl,
      cpes: [],
      scope: undefined,
      builtFrom: undefined,
    })
    if (!('identity' in identified)) return identified.notMatchedReason
    const candidates = ids
      .map(recordOf)
      .flatMap(({ source, id, affected }) =>
        affected.map((of) => ({ source, advisoryId: id, affected: of })),
      )
    const verdicts = matchPackage(identified.identity, candidates)
    const match = decideMatch(verdicts)
    if (match) return match.confidence
    return verdicts.some(({ verdict }) => verdict === 'unaffected') ? 'not affected' : 'nothing'
  }

  it.each`
    purl                                                                                                                     | record                    | expected          | because
    ${'deb/debian/libssl1.1@1.1.1k-1?distro=debian-11&upstream=openssl'}                                                     | ${'DSA-4963-1'}           | ${'High'}         | ${'records name the source, the SBOM the binary'}
    ${'deb/debian/libssl1.1@1.1.1k-1%2Bdeb11u1?distro=debian-11&upstream=openssl'}                                           | ${'DSA-4963-1'}           | ${'not affected'} | ${'1.1.1k-1+deb11u1 is the fix of Debian 11'}
    ${'deb/debian/libssl1.1@1.1.1d-0%2Bdeb10u6?distro=debian-10&upstream=openssl'}                                           | ${'DSA-4963-1'}           | ${'High'}         | ${'the fix of Debian 10 is another'}
    ${'deb/debian/libssl1.1@1.1.1d-0%2Bdeb10u7?distro=debian-10&upstream=openssl'}                                           | ${'DSA-4963-1'}           | ${'not affected'} | ${'and it has it, with a lower version than that of 11'}
    ${'deb/debian/libssl1.1@1.1.1k-1?distro=bullseye&upstream=openssl'}                                                      | ${'DSA-4963-1'}           | ${'High'}         | ${'bullseye is 11'}
    ${'deb/debian/libssl3@3.0.7-1?distro=debian-12&upstream=openssl'}                                                        | ${'DSA-4963-1'}           | ${'nothing'}      | ${'the record has no entry for Debian 12'}
    ${'deb/ubuntu/libssl1.1@1.1.1f-1ubuntu2?distro=ubuntu-20.04&upstream=openssl'}                                           | ${'DSA-4963-1'}           | ${'nothing'}      | ${'Ubuntu is not Debian'}
    ${'deb/debian/zlib1g@1%3A1.2.11.dfsg-2%2Bdeb11u1?distro=debian-11&upstream=zlib'}                                        | ${'DSA-5218-1'}           | ${'High'}         | ${'the epoch is part of the version'}
    ${'deb/debian/zlib1g@1%3A1.2.11.dfsg-2%2Bdeb11u2?distro=debian-11&upstream=zlib'}                                        | ${'DSA-5218-1'}           | ${'not affected'} | ${'the epoch is equal'}
    ${'deb/debian/libexpat1@2.2.10-2%2Bdeb11u5%2Bb1?distro=debian-11&upstream=expat'}                                        | ${'DSA-5266-1'}           | ${'not affected'} | ${'+b1 rebuilds the same source'}
    ${'deb/debian/libexpat1@2.2.10-2%2Bdeb11u4%2Bb1?distro=debian-11&upstream=expat'}                                        | ${'DSA-5266-1'}           | ${'High'}         | ${'+b1 repairs nothing'}
    ${'deb/debian/bind9-libs@1%3A9.16.22-1~deb11u1?distro=debian-11&upstream=bind9'}                                         | ${'DSA-4994-1'}           | ${'not affected'} | ${'~deb11u1 equals the fix'}
    ${'deb/debian/bind9-libs@1%3A9.16.22-1~bpo10%2B1?distro=debian-11&upstream=bind9'}                                       | ${'DSA-4994-1'}           | ${'not affected'} | ${'a backport for Debian 10 has the sources of 11: 9.16.22-1 comes after ~deb11u1'}
    ${'deb/debian/linux-image-5.10.0-11-amd64@5.10.92-1?distro=debian-11&upstream=linux'}                                    | ${'DSA-5092-1'}           | ${'High'}         | ${'a kernel image is of the source linux'}
    ${'deb/debian/linux-image-5.10.0-11-amd64@5.10.92-1?distro=debian-11&upstream=linux-signed-amd64%405.10.92%2B1'}         | ${'DSA-5092-1'}           | ${'High'}         | ${'a signed image is of linux, whose version is that of the image'}
    ${'deb/debian/linux-image-5.10.0-12-amd64@5.10.92-2?distro=debian-11&upstream=linux-signed-amd64%405.10.92%2B2'}         | ${'DSA-5092-1'}           | ${'not affected'} | ${'5.10.92-2 is the fix'}
    ${'deb/debian/phpgroupware@0.9.16.005-3?distro=debian-3.0'}                                                              | ${'DSA-746-1'}            | ${'High'}         | ${'Debian 3.0 got no fix'}
    ${'deb/debian/phpgroupware@0.9.16.005-3.sarge0?distro=debian-3.1'}                                                       | ${'DSA-746-1'}            | ${'not affected'} | ${'Debian 3.1 got one'}
    ${'deb/debian/chromium@40.0.2214.111-1?distro=debian-7&upstream=chromium-browser'}                                       | ${'DSA-3148-1'}           | ${'High'}         | ${'Debian 7 ends its support with no fixed version'}
    ${'deb/debian/chromium@40.0.2214.111-1?distro=debian-8&upstream=chromium-browser'}                                       | ${'DSA-3148-1'}           | ${'nothing'}      | ${'but not Debian 8'}
    ${'rpm/almalinux/openssl-libs@1.1.1k-5.el8_5?distro=almalinux-8.5&epoch=1&upstream=openssl-1.1.1k-5.el8_5.src.rpm'}      | ${'ALSA-2022:1065'}       | ${'High'}         | ${'AlmaLinux names binaries; its releases are the major versions'}
    ${'rpm/almalinux/openssl-libs@1.1.1k-6.el8_5?distro=almalinux-8.5&epoch=1&upstream=openssl-1.1.1k-6.el8_5.src.rpm'}      | ${'ALSA-2022:1065'}       | ${'not affected'} | ${'the purl states the epoch apart from the version'}
    ${'rpm/almalinux/openssl-libs@3.0.1-20.el9?distro=almalinux-9.0&epoch=1&upstream=openssl-3.0.1-20.el9.src.rpm'}          | ${'ALSA-2022:1065'}       | ${'nothing'}      | ${'the record is of AlmaLinux 8'}
    ${'rpm/almalinux/java-17-openjdk-headless@17.0.11.0.9-2.el9?distro=almalinux-9.4&epoch=1'}                               | ${'ALSA-2024:4568'}       | ${'High'}         | ${'one record has the fixes of 8 and of 9'}
    ${'rpm/almalinux/java-17-openjdk-headless@17.0.12.0.7-2.el8?distro=almalinux-8.10&epoch=1'}                              | ${'ALSA-2024:4568'}       | ${'not affected'} | ${'of which each package has its own'}
    ${'rpm/almalinux/vim-minimal@8.0.1763-16.el8_5.4?distro=almalinux-8.5&epoch=2&upstream=vim-8.0.1763-16.el8_5.4.src.rpm'} | ${'ALSA-2022:1552'}       | ${'High'}         | ${'vim builds no package of its name'}
    ${'rpm/almalinux/platform-python@3.6.8-41.el8.alma?distro=almalinux-8.5&upstream=python3-3.6.8-41.el8.alma.src.rpm'}     | ${'ALSA-2022:6457'}       | ${'High'}         | ${'nor does python3'}
    ${'rpm/almalinux/kernel-core@4.18.0-348.23.1.el8_5?distro=almalinux-8.5&upstream=kernel-4.18.0-348.23.1.el8_5.src.rpm'}  | ${'ALSA-2022:1988'}       | ${'High'}         | ${'the release orders kernels of one version'}
    ${'rpm/almalinux/kernel-core@4.18.0-372.9.1.el8?distro=almalinux-8.6&upstream=kernel-4.18.0-372.9.1.el8.src.rpm'}        | ${'ALSA-2022:1988'}       | ${'not affected'} | ${'372.9.1 is the fix'}
    ${'apk/alpine/ssl_client@1.29.3-r9?distro=alpine-3.9.6&upstream=busybox'}                                                | ${'ALPINE-CVE-2019-5747'} | ${'High'}         | ${'records name the source, and v3.9 is the release of 3.9.6'}
    ${'apk/alpine/ssl_client@1.29.3-r10?distro=alpine-3.9.6&upstream=busybox'}                                               | ${'ALPINE-CVE-2019-5747'} | ${'not affected'} | ${'-r10 comes after -r9'}
    ${'apk/alpine/busybox@1.30.1-r1?distro=alpine-3.10.9'}                                                                   | ${'ALPINE-CVE-2019-5747'} | ${'High'}         | ${'Alpine 3.10 has another fix'}
    ${'apk/alpine/busybox@1.31.1-r20?distro=alpine-3.12.8'}                                                                  | ${'ALPINE-CVE-2019-5747'} | ${'nothing'}      | ${'the record has no entry for Alpine 3.12'}
    ${'apk/alpine/libcrypto1.1@1.1.1d-r0?distro=alpine-3.11.6&upstream=openssl'}                                             | ${'ALPINE-CVE-2019-1563'} | ${'High'}         | ${'Alpine 3.11 fixed it in -r1'}
    ${'apk/alpine/libcrypto1.1@1.1.1d-r0?distro=alpine-3.10.5&upstream=openssl'}                                             | ${'ALPINE-CVE-2019-1563'} | ${'not affected'} | ${'Alpine 3.10 in -r0'}
  `('say of $purl by $record: $expected, as $because', ({ purl, record, expected }) => {
    expect(answer(`pkg:${String(purl)}`, String(record))).toBe(expected)
  })

  it.each`
    purl                                                                                  | records                             | expected          | because
    ${'deb/debian/linux-image-5.10.0-11-amd64@5.10.92-2?distro=debian-11&upstream=linux'} | ${['CVE-2022-0330', 'DSA-5092-1']}  | ${'not affected'} | ${'Debian repaired 5.10.92'}
    ${'deb/debian/linux-image-5.10.0-11-amd64@5.10.92-1?distro=debian-11&upstream=linux'} | ${['CVE-2022-0330', 'DSA-5092-1']}  | ${'High'}         | ${'in its second build'}
    ${'deb/debian/zlib1g@1%3A1.2.11.dfsg-1%2Bdeb10u1?distro=debian-10&upstream=zlib'}     | ${['CVE-2018-25032', 'DSA-5111-1']} | ${'not affected'} | ${'upstream repaired 1.2.12 only'}
  `('outrank NVD on $purl: $expected, as $because', ({ purl, records, expected }) => {
    expect(answer(`pkg:${String(purl)}`, ...(records as string[]))).toBe(expected)
  })

  it.each`
    purl                         | record                        | expected          | because
    ${'cargo/libusb@0.3.0'}      | ${'RUSTSEC-2016-0004'}        | ${'Low'}          | ${'it is unmaintained, which is no vulnerability'}
    ${'cargo/smallvec@0.6.12'}   | ${'RUSTSEC-2018-0018'}        | ${'High'}         | ${'unsound code is a flaw, and has a CVE'}
    ${'cargo/smallvec@0.6.13'}   | ${'RUSTSEC-2018-0018'}        | ${'not affected'} | ${'it is repaired'}
    ${'generic/python@3.9.2rc1'} | ${'BIT-python-min-2021-3177'} | ${'High'}         | ${'a CPE has versions of upstream, also of those that SemVer cannot read'}
    ${'cargo/hyper@0.9.3'}       | ${'RUSTSEC-2016-0002'}        | ${'High'}         | ${'RustSec begins with 0.0.0-0'}
  `('say of $purl by $record: $expected, as $because', ({ purl, record, expected }) => {
    expect(answer(`pkg:${String(purl)}`, String(record))).toBe(expected)
  })

  it.each`
    purl                                                                                                                 | record              | expected    | because
    ${'rpm/almalinux/kernel-core@4.18.0-348.23.1.el8_5?distro=almalinux-8.5'}                                            | ${'CVE-2022-0330'}  | ${'Low'}    | ${'AlmaLinux takes over repairs, and lists them'}
    ${'deb/debian/linux-image-5.10.0-11-amd64@5.10.92-1?distro=debian-11&upstream=linux'}                                | ${'CVE-2022-0330'}  | ${'Low'}    | ${'so does Debian'}
    ${'rpm/almalinux/kernel-ml@5.16.1-1.el8.elrepo?distro=almalinux-8.5&upstream=kernel-ml-5.16.1-1.el8.elrepo.src.rpm'} | ${'CVE-2022-0330'}  | ${'Medium'} | ${'ELRepo builds upstream’s'}
    ${'deb/debian/zlib1g@1%3A1.2.11.dfsg-1%2Bdeb10u1?distro=debian-10&upstream=zlib'}                                    | ${'CVE-2018-25032'} | ${'Medium'} | ${'it is no kernel'}
  `('say by upstream alone of $purl: $expected, as $because', ({ purl, record, expected }) => {
    expect(answer(`pkg:${String(purl)}`, String(record))).toBe(expected)
  })
})
