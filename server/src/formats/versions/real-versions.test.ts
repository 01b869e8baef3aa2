/** Every ordering on the versions that advisories and SBOMs really have. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeAll, expect, it } from 'vitest'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import { compareVersions, isVersion } from './compare.ts'
import { VERSION_SCHEMES, type VersionScheme } from './schemes.ts'

/** All pairs of so many are compared, in each ordering. */
const SAMPLE = 250

/** Fields of OSV, CVE and NVD records and of SBOMs that hold versions. */
const VERSION_FIELDS =
  /"(?:version|introduced|fixed|last_affected|lessThan|lessThanOrEqual|versionStartIncluding|versionEndExcluding|versionEndIncluding|versionInfo)": ?"([^"\\]{1,60})"/g

describeWithSharedData('every ordering, on real versions,', (folder) => {
  const versions = new Set<string>()

  beforeAll(() => {
    const read = (path: string) => {
      for (const [, version = ''] of gunzipSync(readFileSync(path))
        .toString('utf8')
        .matchAll(VERSION_FIELDS))
        versions.add(version)
    }
    for (const path of ['osv', 'nvd', 'cve5'].map((kind) => join(folder, kind)))
      for (const file of readdirSync(path)) if (file.endsWith('.gz')) read(join(path, file))
    for (const path of readdirSync(join(folder, 'sbom/large'), { recursive: true }))
      if (String(path).endsWith('.gz')) read(join(folder, 'sbom/large', String(path)))
  })

  /** Spread over the alphabet, so that numbers, words and commits are all among them. */
  function sampleOf(scheme: VersionScheme): string[] {
    const readable = [...versions]
      .filter((text) => isVersion(scheme, text))
      // Arch's versions without a release equal all with one, so these are left out there (vercmp(8)).
      .filter((text) => scheme !== 'alpm' || !text.includes('-'))
      .toSorted((a, b) => (a < b ? -1 : 1))
    const step = Math.max(1, Math.floor(readable.length / SAMPLE))
    return readable.filter((_text, index) => index % step === 0).slice(0, SAMPLE)
  }

  it('has many to compare', () => {
    expect(versions.size).toBeGreaterThan(20_000)
  })

  it.each(VERSION_SCHEMES.filter((scheme) => scheme !== 'git'))(
    '%s is antisymmetric, total and transitive',
    (scheme) => {
      const sample = sampleOf(scheme)
      const order = (a: string, b: string) => compareVersions(scheme, a, b) ?? NaN

      const sorted = sample.toSorted(order)

      expect(sample.length).toBeGreaterThan(100)
      const faults: string[] = []
      sorted.forEach((a, i) => {
        if (order(a, a) !== 0) faults.push(`${a} is not itself`)
        for (const b of sorted.slice(i + 1)) {
          const [there, back] = [order(a, b), order(b, a)]
          // Were it not transitive, some pair of the sorted list would be the wrong way round.
          if (!(there <= 0) || Math.sign(there) !== 0 - Math.sign(back))
            faults.push(`${a} and ${b}: ${there}, ${back}`)
        }
      })
      expect(faults.slice(0, 10)).toEqual([])
    },
  )

  it('git orders nothing: equal commits are equal, others undecided', () => {
    const commits = [...versions].filter((text) => isVersion('git', text)).slice(0, SAMPLE)

    expect(commits.length).toBeGreaterThan(100)
    for (const [i, commit] of commits.entries()) {
      expect(compareVersions('git', commit, commit.toUpperCase())).toBe(0)
      expect(compareVersions('git', commit, commits[i + 1] ?? '1.0')).toBeUndefined()
    }
  })
})
