/** Without a service: licences are judged on this machine. */
import { describe, expect, it } from 'vitest'
import { EXIT } from '../src/exit-codes.ts'
import { givenFile, givenSbom, runPlimsoll } from './service.ts'

const OFFLINE = { PLIMSOLL_URL: 'http://127.0.0.1:9', PLIMSOLL_API_KEY: '' }
const licensed = (name: string, ...expressions: string[]) => ({
  name,
  version: '1',
  licenses: expressions.map((expression) => ({ expression })),
})
const RULES = { allow: ['MIT', 'Apache-2.0'], deny: ['GPL-3.0-or-later'], review: ['MPL-2.0'] }

function check(components: readonly object[], rules: object = RULES, ...more: string[]) {
  const file = givenSbom('image.json', components)
  const rulesFile = givenFile('rules.json', JSON.stringify(rules))
  return runPlimsoll(OFFLINE, ['sbom', 'check', file, '--licence-rules', rulesFile, ...more])
}

describe('plimsoll sbom check --licence-rules', () => {
  it('fails on what is denied, in no list or unknown, and says why', async () => {
    const components = [
      licensed('good', 'MIT OR GPL-3.0-only'),
      licensed('bad', 'GPL-3.0-only'),
      licensed('odd', 'LicenseRef-odd'),
      licensed('silent'),
    ]

    const { exitCode, stdout } = await check(components)

    expect(exitCode).toBe(EXIT.licencesNotMet)
    expect(stdout).toContain(
      '4 components; 1 allowed, 0 to be reviewed, 1 in no list, 1 unknown, 1 denied',
    )
    expect(stdout).toMatch(
      /bad@1\s+denied\s+GPL-3.0-only\s+GPL-3.0-only: denied by GPL-3.0-or-later/,
    )
    expect(stdout).toMatch(/silent@1\s+unknown\s+No licence is stated/)
    expect(stdout).not.toContain('good@1')
  })

  it('says which branch of an OR counts, and passes what is allowed or to be reviewed', async () => {
    const components = [licensed('good', 'GPL-3.0-only OR MIT'), licensed('look', 'MPL-2.0')]

    const { exitCode, stdout } = await check(components, RULES, '--json')

    expect(exitCode).toBe(EXIT.ok)
    expect(JSON.parse(stdout)).toMatchObject({
      counts: { allowed: 1, review: 1 },
      components: [
        { component: 'good', outcome: 'allowed', chosen: ['MIT'] },
        { component: 'look', outcome: 'review', chosen: ['MPL-2.0'] },
      ],
    })
    expect(await check(components, { ...RULES, failOn: ['review'] })).toMatchObject({
      exitCode: EXIT.licencesNotMet,
    })
  })

  it('refuses rules that cannot be meant', async () => {
    const wrong = await check([], { allow: ['Mitt'] })
    const choice = await check([], { deny: ['MIT OR ISC'] })
    const member = await check([], { allowed: ['MIT'] })
    const empty = await check([], {})

    for (const { exitCode } of [wrong, choice, member, empty]) expect(exitCode).toBe(EXIT.error)
    expect(wrong.stderr).toContain('It is not an SPDX licence expression: "Mitt"')
    expect(choice.stderr).toContain('A rule names one licence')
    expect(member.stderr).toContain('"allowed"')
    expect(empty.stderr).toContain('has no rule')
  })
})
