import { expect, it } from 'vitest'
import { scoreOfCvssObject } from './scores.ts'

it.each`
  stated       | kept
  ${9.8}       | ${9.8}
  ${7.25}      | ${7.3}
  ${2.9e-70}   | ${0}
  ${undefined} | ${9.8}
  ${11}        | ${9.8}
`(
  'a stated score of $stated is kept as $kept',
  ({ stated, kept }: { stated: unknown; kept: number }) => {
    const vectorString = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'
    const cvss = {
      version: '3.1',
      vectorString,
      ...(stated !== undefined && { baseScore: stated }),
    }

    expect(scoreOfCvssObject(cvss, 'acme', '')).toMatchObject({ baseScore: kept })
  },
)
