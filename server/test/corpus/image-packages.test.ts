import { expect, it } from 'vitest'
import { imageOf, packageOf } from './image-packages.ts'

interface NameAndVersion {
  name: string
  version: string
}

const of = (name: string, version: string): NameAndVersion => ({ name, version })

it.each`
  repository                 | packages                                                         | release           | because
  ${'docker.io/ghost'}       | ${[of('libc6', '2.31-13+deb11u3')]}                              | ${'debian 11'}    | ${'Debian 11 has glibc 2.31'}
  ${'docker.io/ubuntu'}      | ${[of('libc6', '2.31-0ubuntu9.7')]}                              | ${'ubuntu 20.04'} | ${'so has Ubuntu 20.04'}
  ${'docker.io/almalinux'}   | ${[of('curl', '7.61.1-22.el8')]}                                 | ${'almalinux 8'}  | ${'the name tells which rebuild it is'}
  ${'anchore/test_images'}   | ${[of('nodejs', '1:18.18.2-2.module+el9.2.0.z+20408+7cb5fda5')]} | ${'redhat 9'}     | ${'a module tells it too'}
  ${'docker.io/amazonlinux'} | ${[of('curl', '7.79.1-1.amzn2.0.1')]}                            | ${'amzn 2'}       | ${'Amazon writes it into the version'}
  ${'anchore/test_images'}   | ${[of('ssl_client', '1.33.1-r3')]}                               | ${'alpine 3.14'}  | ${'Alpine 3.14 has BusyBox 1.33.1'}
  ${'docker.io/grafana'}     | ${[of('libcrypto1.1', '1.1.1q-r0')]}                             | ${'alpine ?'}     | ${'several releases have this OpenSSL'}
`(
  'tells the distribution of $packages: $release, as $because',
  ({
    repository,
    packages,
    release,
  }: {
    repository: string
    packages: NameAndVersion[]
    release: string
  }) => {
    const image = imageOf(`${repository}@sha256:0123456789abcdef`, packages)
    const ecosystems = packages.map(
      ({ name, version }) => packageOf(image, name, version).ecosystem,
    )

    expect(ecosystems).toEqual([release])
  },
)

it.each`
  name                  | version                                 | purl
  ${'libssl1.1'}        | ${'1.1.1n-0+deb11u2'}                   | ${'pkg:deb/debian/libssl1.1@1.1.1n-0%2Bdeb11u2?distro=debian-11&upstream=openssl'}
  ${'login'}            | ${'1:4.8.1-1'}                          | ${'pkg:deb/debian/login@1%3A4.8.1-1?distro=debian-11&upstream=shadow'}
  ${'libgcc1'}          | ${'1:8.3.0-6'}                          | ${'pkg:deb/debian/libgcc1@1%3A8.3.0-6?distro=debian-11&upstream=gcc-8'}
  ${'apt'}              | ${'2.2.4'}                              | ${'pkg:deb/debian/apt@2.2.4?distro=debian-11'}
  ${'lodash'}           | ${'4.17.4'}                             | ${'pkg:npm/lodash@4.17.4'}
  ${'golang.org/x/net'} | ${'v0.0.0-20220909164309-bea034e7d591'} | ${'pkg:golang/golang.org/x/net@v0.0.0-20220909164309-bea034e7d591'}
  ${'node'}             | ${'14.1.0'}                             | ${undefined}
`(
  'declares $name $version of an image of Debian with Node.js as $purl',
  ({ name, version, purl }: NameAndVersion & { purl?: string }) => {
    const image = imageOf('docker.io/node@sha256:0123', [of('libc6', '2.31-13+deb11u3')])

    expect(packageOf(image, name, version).purl).toBe(purl)
  },
)

it('declares the packages of an rpm distribution with epoch and source file', () => {
  const image = imageOf('docker.io/almalinux@sha256:0123', [of('curl', '7.61.1-22.el8')])

  expect(packageOf(image, 'openssl-libs', '1:1.1.1k-5.el8_5').purl).toBe(
    'pkg:rpm/almalinux/openssl-libs@1.1.1k-5.el8_5?distro=almalinux-8&epoch=1&upstream=openssl-1.1.1k-5.el8_5.src.rpm',
  )
})
