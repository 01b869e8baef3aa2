/** Published vectors; what we answer otherwise is named with its reason, and nothing else may differ. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import { compareVersions } from './compare.ts'
import type { VersionScheme } from './schemes.ts'
import { DEVIATIONS } from './vectors.deviations.ts'

interface Vector {
  name: string
  holds: (scheme: VersionScheme) => boolean
}

const read = (path: string) => {
  const bytes = readFileSync(path)
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
}

const SIGNS: Record<string, number> = { '<': -1, '=': 0, '>': 1 }

/** `a < b`, one a line. */
function lineVectors(path: string): Vector[] {
  return read(path)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('//') && !line.startsWith('#'))
    .map((line) => {
      const [a = '', sign = '', b = ''] = line.split(/\s+/)
      const expected = SIGNS[sign] ?? NaN
      const holds = (scheme: VersionScheme) =>
        Math.sign(compareVersions(scheme, a, b) ?? NaN) === expected &&
        Math.sign(compareVersions(scheme, b, a) ?? NaN) === 0 - expected
      return { name: line, holds }
    })
}

interface VersTest {
  test_type: string
  input: { versions: [string, string] }
  expected_output: boolean | [string, string]
}

/** The tests of `comparison` and `equality` of the VERS specification. */
function versVectors(path: string): Vector[] {
  const document = JSON.parse(read(path)) as VersTest[] | { tests: VersTest[] }
  const tests = Array.isArray(document) ? document : document.tests
  return tests
    .filter(({ test_type }) => test_type === 'comparison' || test_type === 'equality')
    .map(({ input, expected_output }) => {
      const [a, b] = input.versions
      if (!Array.isArray(expected_output))
        return {
          name: `${a} ${expected_output ? '=' : '≠'} ${b}`,
          holds: (scheme) => {
            const order = compareVersions(scheme, a, b)
            return order !== undefined && (order === 0) === expected_output
          },
        }
      const [first, second] = expected_output
      return {
        name: `${first} ≤ ${second}`,
        holds: (scheme) => (compareVersions(scheme, first, second) ?? NaN) <= 0,
      }
    })
}

/** Every version of a sorted list comes before the next. */
function sortedVectors(versions: readonly string[]): Vector[] {
  return versions.slice(1).map((version, index) => {
    const previous = versions[index] ?? ''
    return {
      name: `${previous} < ${version}`,
      holds: (scheme) => (compareVersions(scheme, previous, version) ?? NaN) < 0,
    }
  })
}

function rpmVectors(path: string): Vector[] {
  const calls = read(path).matchAll(/^RPMVERCMP\((\S+), (\S+), (-?\d)\)/gm)
  return [...calls].map(([name, a = '', b = '', sign]) => ({
    name,
    holds: (scheme) => Math.sign(compareVersions(scheme, a, b) ?? NaN) === Number(sign),
  }))
}

function checkVectors(
  file: string,
  scheme: VersionScheme,
  vectors: readonly Vector[],
  count: number,
) {
  const expected = (DEVIATIONS[file] ?? []).flatMap(([, names]) => names)

  const failed = vectors.filter(({ holds }) => !holds(scheme)).map(({ name }) => name)

  expect([...new Set(failed)].toSorted()).toEqual([...new Set(expected)].toSorted())
  expect(vectors.length - failed.length).toBe(count)
}

describeWithSharedData('published version vectors', (folder) => {
  const versions = join(folder, 'conformance/versions')
  const vers = join(folder, 'conformance/vers')

  it.each`
    file                                     | scheme        | count
    ${'alpine-versions.txt'}                 | ${'apk'}      | ${745}
    ${'alpine-versions-generated.txt.gz'}    | ${'apk'}      | ${9779}
    ${'cran-versions.txt'}                   | ${'cran'}     | ${21}
    ${'cran-versions-generated.txt.gz'}      | ${'cran'}     | ${30}
    ${'debian-versions.txt'}                 | ${'deb'}      | ${30}
    ${'debian-versions-generated.txt.gz'}    | ${'deb'}      | ${10145}
    ${'hackage-versions.txt'}                | ${'cran'}     | ${11}
    ${'maven-versions.txt'}                  | ${'maven'}    | ${102}
    ${'maven-versions-generated.txt.gz'}     | ${'maven'}    | ${10226}
    ${'nuget-versions.txt'}                  | ${'nuget'}    | ${35}
    ${'packagist-versions.txt'}              | ${'composer'} | ${86}
    ${'packagist-versions-generated.txt.gz'} | ${'composer'} | ${7358}
    ${'pub-versions.txt'}                    | ${'pub'}      | ${100}
    ${'pypi-versions.txt'}                   | ${'pypi'}     | ${26}
    ${'pypi-versions-generated.txt.gz'}      | ${'pypi'}     | ${8587}
    ${'redhat-versions.txt'}                 | ${'rpm'}      | ${165}
    ${'rubygems-versions.txt'}               | ${'gem'}      | ${23}
    ${'rubygems-versions-generated.txt.gz'}  | ${'gem'}      | ${2805}
    ${'semver-versions.txt'}                 | ${'semver'}   | ${86}
  `(
    'osv-scalibr/$file: $count hold in $scheme',
    ({ file, scheme, count }: { file: string; scheme: VersionScheme; count: number }) => {
      checkVectors(file, scheme, lineVectors(join(versions, 'osv-scalibr', file)), count)
    },
  )

  it.each`
    file                                 | scheme       | count
    ${'alpine_version_cmp_test.json.gz'} | ${'apk'}     | ${509}
    ${'alpm_version_cmp_test.json'}      | ${'alpm'}    | ${30}
    ${'conan_version_cmp_test.json'}     | ${'generic'} | ${32}
    ${'gentoo_version_cmp_test.json'}    | ${'apk'}     | ${35}
    ${'maven_version_cmp_test.json.gz'}  | ${'maven'}   | ${684}
    ${'nuget_version_cmp_test.json'}     | ${'nuget'}   | ${21}
    ${'openssl_version_cmp_test.json'}   | ${'openssl'} | ${28}
  `(
    'vers/$file: $count hold in $scheme',
    ({ file, scheme, count }: { file: string; scheme: VersionScheme; count: number }) => {
      checkVectors(file, scheme, versVectors(join(vers, file)), count)
    },
  )

  it('univers/alpine_test.txt: 716 hold in apk', () => {
    const file = 'alpine_test.txt'
    checkVectors(file, 'apk', lineVectors(join(versions, 'univers', file)), 716)
  })

  it('univers/deb_version_python_pkg_test.json: 16 hold in deb', () => {
    const file = 'deb_version_python_pkg_test.json'
    checkVectors(file, 'deb', versVectors(join(versions, 'univers', file)), 16)
  })

  it('univers/rpmvercmp.at: 91 hold in rpm', () => {
    checkVectors('rpmvercmp.at', 'rpm', rpmVectors(join(versions, 'univers/rpmvercmp.at')), 91)
  })

  it('univers/openssl_versort_expected.json: 169 hold in openssl', () => {
    const file = 'openssl_versort_expected.json'
    const sorted = JSON.parse(read(join(versions, 'univers', file))) as { string: string }[]
    const vectors = sortedVectors(sorted.map(({ string }) => string))
    checkVectors(file, 'openssl', vectors, 169)
  })
})
