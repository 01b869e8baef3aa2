import { describe, expect, it } from 'vitest'
import type { CvssScore } from '../../formats/advisories/model.ts'
import { advisoryName, type DescribingAdvisory, narrowRow } from './narrow-row.ts'

const ABSENT = {
  name: null,
  primaryScore: null,
  statedSeverity: null,
  publishedAt: null,
  modifiedAt: null,
  withdrawnAt: null,
}
const nvd: DescribingAdvisory = { ...ABSENT, source: 'nvd', id: 'CVE-1', name: 'NVD' }
const cvelist: DescribingAdvisory = { ...ABSENT, source: 'cvelist', id: 'CVE-1', name: 'CNA' }
const ghsa: DescribingAdvisory = { ...ABSENT, source: 'osv', id: 'GHSA-1', name: 'GitHub' }
const alsa: DescribingAdvisory = { ...ABSENT, source: 'osv', id: 'ALSA-1', name: 'AlmaLinux' }

function score(baseScore: number, source: string, version = '3.1'): CvssScore {
  return { version, baseScore, source, baseSeverity: '', vectorString: `${source} ${version}` }
}

describe('the name of a vulnerability', () => {
  it('comes from the CVE List, else NVD, else GitHub, else the least of the others', () => {
    const all = [alsa, ghsa, nvd, cvelist]

    expect(narrowRow('CVE-1', all).name).toBe('CNA')
    expect(narrowRow('CVE-1', [alsa, ghsa, nvd]).name).toBe('NVD')
    expect(narrowRow('CVE-1', [alsa, ghsa]).name).toBe('GitHub')
    expect(narrowRow('CVE-1', [{ ...cvelist, name: null }, alsa]).name).toBe('AlmaLinux')
  })

  it('is the id where no advisory has words', () => {
    expect(narrowRow('CVE-1', [{ ...cvelist, name: null }]).name).toBe('CVE-1')
  })
})

describe('the severity', () => {
  it('is that of the best score of all advisories', () => {
    const scored = [
      { ...cvelist, primaryScore: score(5, 'cna') },
      { ...nvd, primaryScore: score(9.8, 'nvd@nist.gov') },
    ]

    expect(narrowRow('CVE-1', scored)).toMatchObject({ severity: 'Critical', primaryScore: 9.8 })
  })

  it('is the stated one only without any score', () => {
    const stated: DescribingAdvisory = { ...ghsa, statedSeverity: 'Low' }

    expect(narrowRow('GHSA-1', [stated])).toMatchObject({
      severity: 'Low',
      primaryScore: undefined,
    })
    expect(narrowRow('GHSA-1', [stated, { ...nvd, primaryScore: score(7, 'x') }]).severity).toBe(
      'High',
    )
    expect(narrowRow('GHSA-1', [ghsa]).severity).toBe('Unknown')
  })
})

it('lets withdrawn advisories speak only where no other is left', () => {
  const withdrawn = { ...cvelist, withdrawnAt: new Date(0), primaryScore: score(10, 'cna') }

  expect(narrowRow('CVE-1', [withdrawn, nvd])).toMatchObject({ name: 'NVD', severity: 'Unknown' })
  expect(narrowRow('CVE-1', [withdrawn])).toMatchObject({ name: 'CNA', severity: 'Critical' })
})

it('is published first and modified last of all', () => {
  const [early, late] = [new Date('2026-01-01'), new Date('2026-02-01')]
  const advisories = [
    { ...nvd, publishedAt: late, modifiedAt: early },
    { ...cvelist, publishedAt: early, modifiedAt: late },
    ghsa,
  ]

  expect(narrowRow('CVE-1', advisories)).toMatchObject({ publishedAt: early, modifiedAt: late })
})

interface Named {
  title: string | undefined
  description: string | undefined
  expected: string | undefined
}

it.each`
  title            | description                                       | expected
  ${'The title'}   | ${'Words. More.'}                                 | ${'The title'}
  ${' two\nlines'} | ${undefined}                                      | ${'two lines'}
  ${'  '}          | ${'First one. Second one.'}                       | ${'First one.'}
  ${undefined}     | ${'Before 1.2.3. After that all is well.'}        | ${'Before 1.2.3.'}
  ${undefined}     | ${'Foo v1.2 by Bar Inc. is bad, e.g. This. More'} | ${'Foo v1.2 by Bar Inc. is bad, e.g. This.'}
  ${undefined}     | ${'no end'}                                       | ${'no end'}
  ${undefined}     | ${'In the kernel:\n\nnet: fix it\n\nDetails. X.'} | ${'In the kernel: net: fix it Details.'}
  ${undefined}     | ${''}                                             | ${undefined}
  ${undefined}     | ${undefined}                                      | ${undefined}
`(
  'of title $title and description $description the name is $expected',
  ({ title, description, expected }: Named) => {
    expect(advisoryName({ title, description })).toBe(expected)
  },
)

it('cuts a name that is longer than a line of a list', () => {
  const name = advisoryName({ title: 'long '.repeat(1_000), description: undefined })

  expect(name).toHaveLength(300)
  expect(name).toMatch(/…$/)
})
