/** One package of each distribution as each generator of SBOMs writes it: they are the same. */
import { expect, it } from 'vitest'
import { identifyPackage, type PackageIdentity } from '../identity.ts'
import type { ComponentIdentifiers } from '../sboms/model.ts'

function identityOf(purl: string, builtFrom?: ComponentIdentifiers): PackageIdentity {
  const identified = identifyPackage({
    vendor: undefined,
    packageName: 'package',
    version: undefined,
    purl,
    cpes: [],
    scope: undefined,
    builtFrom,
  })
  if (!('identity' in identified)) throw new Error(identified.notMatchedReason)
  return identified.identity
}

const source = (packageName: string, version?: string): ComponentIdentifiers => ({
  vendor: undefined,
  packageName,
  version,
  purl: undefined,
  cpes: [],
})

/** As Syft writes it, and as others do. */
const SPELLINGS: Record<string, readonly string[]> = {
  'pkg:rpm/almalinux/zlib@1.2.11-17.el8?distro=almalinux-8.5': [
    'pkg:rpm/alma/zlib@1.2.11-17.el8?distro=alma-8.5',
    'pkg:rpm/alma/zlib@1.2.11-17.el8?distro=almalinux-8.5&distro_name=alma',
    'pkg:rpm/zlib@1.2.11-17.el8?distro=alma-8.5',
    'pkg:rpm/almalinux/zlib@1.2.11-17.el8',
    'pkg:rpm/almalinux/zlib@1.2.11-17.el8?os_name=almalinux&os_version=8',
  ],
  'pkg:rpm/redhat/zlib@1.2.11-17.el8?distro=rhel-8.5': [
    'pkg:rpm/redhat/zlib@1.2.11-17.el8?distro=redhat-8.5',
    'pkg:rpm/rhel/zlib@1.2.11-17.el8?distro=rhel-8.5',
    'pkg:rpm/red/zlib@1.2.11-17.el8',
    'pkg:rpm/red%20hat%20enterprise%20linux/zlib@1.2.11-17.el8',
  ],
  'pkg:rpm/rocky/zlib@1.2.11-17.el8?distro=rocky-8.5': [
    'pkg:rpm/rocky-linux/zlib@1.2.11-17.el8?distro=rocky-8.5',
    'pkg:rpm/rockylinux/zlib@1.2.11-17.el8?distro=Rocky%20Linux%208',
  ],
  'pkg:rpm/centos/zlib@1.2.7-18.el7?distro=centos-7': [
    'pkg:rpm/centos/zlib@1.2.7-18.el7?distro=centos-7.6.1810',
  ],
  'pkg:rpm/centos/zlib@1.2.11-41.el9?distro=centos-9': [
    'pkg:rpm/centos-stream/zlib@1.2.11-41.el9?distro=centos-stream-9',
  ],
  'pkg:rpm/ol/zlib@1.2.11-17.el8?distro=ol-8.5': [
    'pkg:rpm/oracle/zlib@1.2.11-17.el8?distro=oracle-8.5',
    'pkg:rpm/oraclelinux/zlib@1.2.11-17.el8',
  ],
  'pkg:rpm/amzn/zlib@1.2.7-19.amzn2?distro=amzn-2': [
    'pkg:rpm/amazon/zlib@1.2.7-19.amzn2?distro=amazon-2%20%28Karoo%29',
    'pkg:rpm/amazon/zlib@1.2.7-19.amzn2?distro=amzn-2',
  ],
  'pkg:rpm/fedora/zlib@1.2.13-4.fc39?distro=fedora-39': ['pkg:rpm/fedora/zlib@1.2.13-4.fc39'],
  'pkg:rpm/opensuse/zlib@1.2.11-150000.3.33?distro=opensuse-leap-15.4': [
    'pkg:rpm/opensuse-leap/zlib@1.2.11-150000.3.33?distro=opensuse-leap-15.4',
    'pkg:rpm/opensuse.leap/zlib@1.2.11-150000.3.33?distro=opensuse.leap-15.4',
  ],
  'pkg:rpm/opensuse/zlib@1.3-1.1?distro=opensuse-tumbleweed-20260801': [
    'pkg:rpm/opensuse.tumbleweed/zlib@1.3-1.1?distro=opensuse.tumbleweed-20260801',
  ],
  'pkg:rpm/sles/zlib@1.2.11-150000.3.33?distro=sles-15.4': [
    'pkg:rpm/suse/zlib@1.2.11-150000.3.33?distro=sles-15.4',
    'pkg:rpm/suse/zlib@1.2.11-150000.3.33?distro=suse%20linux%20enterprise%20server-15.4',
    'pkg:rpm/sles/zlib@1.2.11-150000.3.33?distro=SLES%2015%20SP4',
  ],
  'pkg:rpm/photon/zlib@1.2.13-1.ph4?distro=photon-4.0': [
    'pkg:rpm/photon/zlib@1.2.13-1.ph4?distro=photon-4',
  ],
  'pkg:rpm/mariner/zlib@1.2.13-1.cm2?distro=mariner-2.0.20230303': [
    'pkg:rpm/cbl-mariner/zlib@1.2.13-1.cm2?distro=cbl-mariner-2.0.20220122',
    'pkg:rpm/azurelinux/zlib@1.2.13-1.cm2?distro=azurelinux-2.0',
  ],
  'pkg:rpm/mageia/zlib@1.2.11-9.mga8?distro=mageia-8': [
    'pkg:rpm/mageia/zlib@1.2.11-9.mga8?distro=mageia-8.0',
  ],
  'pkg:apk/alpine/zlib@1.2.13-r1?distro=alpine-3.18.4': [
    'pkg:apk/alpine/zlib@1.2.13-r1?distro=3.18.4',
    'pkg:apk/alpine/zlib@1.2.13-r1?distro=3.18.4&origin=zlib',
    'pkg:apk/alpine/zlib@1.2.13-r1?os_name=alpine&os_version=3.18',
    'pkg:apk/alpine/zlib@1.2.13-r1?distro=alpine-3.18.4&distro_name=alpine-3.18',
    'pkg:alpine/zlib@1.2.13-r1?distro=alpine-3.18.4',
    'pkg:apk/zlib@1.2.13-r1?distro=alpine-3.18.4',
  ],
  'pkg:apk/wolfi/zlib@1.3-r1?distro=wolfi-20230201': ['pkg:apk/wolfi/zlib@1.3-r1?distro=20230201'],
  'pkg:apk/chainguard/zlib@1.3-r1?distro=chainguard-20230214': [
    'pkg:apk/chainguard/zlib@1.3-r1?distro=20230214',
  ],
  'pkg:apk/minimos/zlib@1.3-r1?distro=minimos-20241031': [
    'pkg:apk/minimos/zlib@1.3-r1?distro=20241031',
  ],
  'pkg:deb/debian/zlib1g@1%3A1.2.11.dfsg-2?distro=debian-11': [
    'pkg:deb/debian/zlib1g@1.2.11.dfsg-2?epoch=1&distro=debian-11.6',
    'pkg:deb/debian/zlib1g@1%3A1.2.11.dfsg-2?distro=bullseye',
    'pkg:deb/debian/zlib1g@1%3A1.2.11.dfsg-2?distro=debian-bullseye',
    'pkg:deb/debian/zlib1g@1%3A1.2.11.dfsg-2?os_distro=bullseye&os_name=debian&os_version=11',
    'pkg:deb/debian/zlib1g@1%3A1.2.11.dfsg-2?distro=debian-11&distro_name=bullseye',
    'pkg:deb/zlib1g@1%3A1.2.11.dfsg-2?distro=debian-11',
  ],
  'pkg:deb/ubuntu/zlib1g@1%3A1.2.11.dfsg-2ubuntu9?distro=ubuntu-22.04': [
    'pkg:deb/ubuntu/zlib1g@1%3A1.2.11.dfsg-2ubuntu9?distro=jammy',
    'pkg:deb/ubuntu/zlib1g@1%3A1.2.11.dfsg-2ubuntu9?distro=ubuntu-jammy',
    'pkg:deb/ubuntu/zlib1g@1%3A1.2.11.dfsg-2ubuntu9?distro=ubuntu-22.04.2',
  ],
}

it.each(Object.entries(SPELLINGS))('%s is the same in other spellings', (ofSyft, others) => {
  const { id, ...rest } = identityOf(ofSyft)

  for (const other of others)
    expect({ other, ...identityOf(other) }).toEqual({ other, id, ...rest })
})

const SOURCES: readonly (readonly [ofSyft: string, purl: string, source?: ComponentIdentifiers])[] =
  [
    [
      'pkg:deb/debian/libssl1.1@1.1.1k-1%2Bdeb11u1?distro=debian-11&upstream=openssl',
      'pkg:deb/debian/libssl1.1@1.1.1k-1%2Bdeb11u1?distro=debian-11.2',
      source('openssl', '1.1.1k-1+deb11u1'),
    ],
    [
      'pkg:deb/debian/libssl1.1@1.1.1k-1%2Bdeb11u1?distro=debian-11&upstream=openssl',
      'pkg:deb/debian/libssl1.1@1.1.1k-1%2Bdeb11u1?distro=bullseye&source=openssl',
    ],
    [
      'pkg:deb/debian/bsdutils@1%3A2.36.1-8?distro=debian-11&upstream=util-linux%402.36.1-8',
      'pkg:deb/debian/bsdutils@1%3A2.36.1-8?distro=bullseye&source=util-linux&sourceversion=2.36.1-8',
    ],
    [
      'pkg:deb/debian/bsdutils@1%3A2.36.1-8?distro=debian-11&upstream=util-linux%402.36.1-8',
      'pkg:deb/debian/bsdutils@2.36.1-8?distro=debian-11&epoch=1',
      source('util-linux', '2.36.1-8'),
    ],
    [
      'pkg:rpm/almalinux/openssl-libs@1.1.1k-5.el8_5?distro=almalinux-8.5&epoch=1&upstream=openssl-1.1.1k-5.el8_5.src.rpm',
      'pkg:rpm/alma/openssl-libs@1.1.1k-5.el8_5?distro=alma-8.5&epoch=1',
      source('openssl', '1:1.1.1k-5.el8_5'),
    ],
    [
      'pkg:rpm/redhat/openssl-libs@1.1.1k-5.el8_5?distro=rhel-8.5&epoch=1&upstream=openssl-1.1.1k-5.el8_5.src.rpm',
      'pkg:rpm/redhat/openssl-libs@1.1.1k-5.el8_5?distro=redhat-8.5&epoch=1',
      { ...source('openssl'), purl: 'pkg:rpm/redhat/openssl@1.1.1k-5.el8_5?arch=src&epoch=1' },
    ],
    [
      'pkg:apk/alpine/ssl_client@1.36.1-r5?distro=alpine-3.18.4&upstream=busybox',
      'pkg:apk/alpine/ssl_client@1.36.1-r5?distro=3.18.4&origin=busybox',
    ],
    [
      'pkg:apk/alpine/ssl_client@1.36.1-r5?distro=alpine-3.18.4&upstream=busybox',
      'pkg:apk/alpine/ssl_client@1.36.1-r5?distro=3.18.4',
      source('busybox', '1.36.1-r5'),
    ],
  ]

const stated = SOURCES.map(([ofSyft, purl, builtFrom]) => ({ ofSyft, purl, builtFrom }))

it.each(stated)('$ofSyft is $purl with its source', ({ ofSyft, purl, builtFrom }) => {
  const { id, ...rest } = identityOf(ofSyft)

  expect(identityOf(purl, builtFrom)).toEqual({ id, ...rest })
})

const EL = '4.18.0-348.23.1.el8_5'
const KERNELS: Record<string, readonly string[]> = {
  [`pkg:rpm/almalinux/kernel@${EL}?distro=almalinux-8.5&upstream=kernel-${EL}.src.rpm`]: [
    'kernel kernel-core kernel-modules kernel-modules-extra kernel-devel kernel-headers kernel-tools kernel-tools-libs',
    'kernel-doc kernel-abi-stablelists perf python3-perf',
  ]
    .flatMap((names) => names.split(' '))
    .flatMap((name) => [
      `pkg:rpm/almalinux/${name}@${EL}?distro=almalinux-8.5&upstream=kernel-${EL}.src.rpm`,
      `pkg:rpm/alma/${name}@${EL}?distro=alma-8.5`,
    ]),
  'pkg:deb/debian/linux-image-6.1.0-25-amd64@6.1.106-3?distro=debian-12&upstream=linux-signed-amd64%406.1.106%2B3':
    [
      'pkg:deb/debian/linux-image-6.1.0-25-amd64@6.1.106-3?distro=debian-12',
      'pkg:deb/debian/linux-headers-6.1.0-25-amd64@6.1.106-3?distro=debian-12&upstream=linux',
      'pkg:deb/debian/linux-headers-6.1.0-25-common@6.1.106-3?distro=debian-12',
      'pkg:deb/debian/linux-libc-dev@6.1.106-3?distro=debian-12',
      'pkg:deb/debian/linux-image-amd64@6.1.106-3?distro=debian-12',
    ],
  'pkg:deb/ubuntu/linux-image-5.15.0-91-generic@5.15.0-91.101?distro=ubuntu-22.04&upstream=linux-signed%405.15.0-91.101':
    [
      'pkg:deb/ubuntu/linux-modules-5.15.0-91-generic@5.15.0-91.101?distro=ubuntu-22.04&upstream=linux',
      'pkg:deb/ubuntu/linux-modules-extra-5.15.0-91-generic@5.15.0-91.101?distro=ubuntu-22.04',
      'pkg:deb/ubuntu/linux-headers-5.15.0-91@5.15.0-91.101?distro=ubuntu-22.04',
      'pkg:deb/ubuntu/linux-libc-dev@5.15.0-91.101?distro=jammy',
    ],
  'pkg:deb/ubuntu/linux-image-5.15.0-1051-aws@5.15.0-1051.56?distro=ubuntu-22.04&upstream=linux-signed-aws':
    ['pkg:deb/ubuntu/linux-modules-5.15.0-1051-aws@5.15.0-1051.56?distro=ubuntu-22.04'],
  'pkg:deb/ubuntu/linux-image-6.2.0-39-generic@6.2.0-39.40~22.04.1?distro=ubuntu-22.04&upstream=linux-signed-hwe-6.2':
    ['pkg:deb/ubuntu/linux-modules-6.2.0-39-generic@6.2.0-39.40~22.04.1?distro=ubuntu-22.04'],
}

it.each(Object.entries(KERNELS))('%s is one kernel with its other packages', (image, others) => {
  const { id } = identityOf(image)

  expect(others.filter((other) => identityOf(other).id !== id)).toEqual([])
})
