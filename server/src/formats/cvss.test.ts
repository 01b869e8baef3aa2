import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeWithSharedData } from '../../test/shared-data.ts'
import { rateScore } from './advisories/severity.ts'
import { baseScore } from './cvss.ts'

describe('baseScore', () => {
  it.each`
    vector                                                                           | version  | score  | severity
    ${'AV:N/AC:L/Au:N/C:P/I:P/A:P'}                                                  | ${'2.0'} | ${7.5} | ${'High'}
    ${'(AV:L/AC:H/Au:M/C:N/I:N/A:P)'}                                                | ${'2.0'} | ${0.8} | ${'Low'}
    ${'AV:A/AC:M/Au:N/C:C/I:N/A:P/E:POC/RL:W/RC:UC'}                                 | ${'2.0'} | ${6.4} | ${'Medium'}
    ${'CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N'}                                | ${'3.0'} | ${0}   | ${'None'}
    ${'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H'}                                | ${'3.1'} | ${10}  | ${'Critical'}
    ${'CVSS:3.1/AV:L/AC:L/PR:N/UI:R/S:U/C:H/I:H/A:H/E:P/RL:O/RC:C'}                  | ${'3.1'} | ${7.8} | ${'High'}
    ${'CVSS:3.1/S:U/A:H/I:H/C:H/UI:R/PR:N/AC:L/AV:L/'}                               | ${'3.1'} | ${7.8} | ${'High'}
    ${'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:N/VA:N/SC:N/SI:N/SA:N'}             | ${'4.0'} | ${8.7} | ${'High'}
    ${'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:N/VA:N/SC:N/SI:N/SA:N/E:P'}         | ${'4.0'} | ${7.7} | ${'High'}
    ${'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:N/VA:N/SC:N/SI:N/SA:N/E:X/U:Clear'} | ${'4.0'} | ${8.7} | ${'High'}
  `(
    'of $vector is $score, $severity',
    ({
      vector,
      version,
      score,
      severity,
    }: {
      vector: string
      version: string
      score: number
      severity: string
    }) => {
      expect(baseScore(vector)).toEqual({ version, score })
      expect(rateScore(version, score)).toBe(severity)
    },
  )

  it.each`
    vector                                                                   | because
    ${''}                                                                    | ${'it is empty'}
    ${'HIGH'}                                                                | ${'it has no metrics'}
    ${'CVSS:3.1/AV:N'}                                                       | ${'metrics are missing'}
    ${'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:Q'}                        | ${'Q is no value'}
    ${'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H/A:N'}                    | ${'A stands twice'}
    ${'CVSS:5.0/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'}                        | ${'there is no such version'}
    ${'AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'}                                 | ${'without prefix it is of 2.0'}
    ${'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:N/VA:N/SC:N/SI:N/SA:N/E:Q'} | ${'Q is no value'}
  `('of $vector is undefined, as $because', ({ vector }: { vector: string }) => {
    expect(baseScore(vector)).toBeUndefined()
  })

  it('takes any text', () => {
    const part = fc.constantFrom(
      'CVSS:3.1',
      'CVSS:4.0',
      'AV:N',
      'AC:L',
      'PR:N',
      'UI:N',
      'S:U',
      'C:H',
      'I:H',
      'A:H',
      'Au:N',
      'x',
      '',
    )
    const vector = fc.array(part, { maxLength: 12 }).map((parts) => parts.join('/'))

    fc.assert(
      fc.property(fc.oneof(vector, fc.string({ unit: 'binary' })), (any) => {
        const result = baseScore(any)
        if (result !== undefined)
          expect(result.score).toSatisfy((score: number) => score >= 0 && score <= 10)
      }),
    )
  })
})

interface Vector {
  vector: string
  score: number
}

describeWithSharedData('CVSS vectors', (folder) => {
  const lines = (file: string) => {
    const bytes = readFileSync(join(folder, 'cvss', file))
    const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
    return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  }

  it.each`
    file                                                   | prefix         | count
    ${'first/macro-scores.txt'}                            | ${''}          | ${270}
    ${'redhat/vectors_calculator2.txt'}                    | ${''}          | ${5}
    ${'redhat/vectors_calculator3.txt'}                    | ${''}          | ${2}
    ${'redhat/vectors_cvsslib2.txt'}                       | ${''}          | ${24}
    ${'redhat/vectors_cvsslib3.txt'}                       | ${''}          | ${29}
    ${'redhat/vectors_security4.txt'}                      | ${''}          | ${54}
    ${'redhat/vectors_simple2.txt'}                        | ${''}          | ${729}
    ${'redhat/vectors_simple3.txt'}                        | ${''}          | ${2592}
    ${'redhat/vectors_simple31.txt'}                       | ${''}          | ${2592}
    ${'redhat/vectors_simple4.txt'}                        | ${''}          | ${1058}
    ${'redhat/vectors_supplemental4.txt'}                  | ${''}          | ${576}
    ${'redhat/vectors_threat4.txt'}                        | ${''}          | ${6}
    ${'metaeffekt/cvss-2.0-validation-vectors-001.txt.gz'} | ${''}          | ${4975}
    ${'metaeffekt/cvss-3.0-validation-vectors-001.txt.gz'} | ${'CVSS:3.0/'} | ${4482}
    ${'metaeffekt/cvss-3.0-validation-vectors-002.txt.gz'} | ${'CVSS:3.0/'} | ${63}
    ${'metaeffekt/cvss-3.1-validation-vectors-001.txt.gz'} | ${''}          | ${5054}
    ${'metaeffekt/cvss-4.0-validation-vectors-001.txt.gz'} | ${''}          | ${183}
    ${'metaeffekt/cvss-4.0-validation-vectors-002.txt.gz'} | ${''}          | ${4916}
  `(
    '$file: $count hold',
    ({ file, prefix, count }: { file: string; prefix: string; count: number }) => {
      const read = file.startsWith('first')
        ? readFirst
        : file.startsWith('redhat')
          ? readRedHat
          : readMetaeffekt
      const vectors = lines(file).map((line) => read(line, prefix))

      const failed = vectors.filter(({ vector, score }) => baseScore(vector)?.score !== score)

      expect(failed).toEqual([])
      expect(vectors).toHaveLength(count)
    },
  )
})

/** `{'vector': 'CVSS:4.0/…', 'score': 10, …}` */
function readFirst(line: string): Vector {
  const [, vector = '', score] = /'vector': '([^']+)', 'score': ([\d.]+)/.exec(line) ?? []
  return { vector, score: Number(score) }
}

/** `AV:N/… - (7.5, None, None)`; the base score is the first, and -0.0 is 0. */
function readRedHat(line: string): Vector {
  const [vector = '', scores = ''] = line.split(' - ')
  const [score] = /[\d.]+/.exec(scores) ?? []
  return { vector, score: Number(score) }
}

/** Vector and base score in 3.0; overall score, then base score in 2.0 and 3.1; macro vector, then score in 4.0. */
function readMetaeffekt(line: string, prefix: string): Vector {
  const [vector = '', ...columns] = line.split(' ')
  return { vector: `${prefix}${vector}`, score: Number(columns[prefix === 'CVSS:3.0/' ? 0 : 1]) }
}
