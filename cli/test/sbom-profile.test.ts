/** Without a service: grades are made on this machine. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { EXIT } from '../src/exit-codes.ts'
import { givenFile, givenSbom, runPlimsoll } from './service.ts'

/** No such service: a request would fail. */
const OFFLINE = { PLIMSOLL_URL: 'http://127.0.0.1:9', PLIMSOLL_API_KEY: '' }
const check = (file: string, ...more: string[]) =>
  runPlimsoll(OFFLINE, ['sbom', 'check', file, ...more])

const component = (name: string, more = {}) => ({ name, version: '1', ...more })

it('says what a document lacks, and fails the build', async () => {
  const file = givenSbom('image.json', [
    component('a', { supplier: { name: 'Acme' } }),
    component('b'),
  ])

  const { exitCode, stdout } = await check(file, '--profile', 'ntia')

  expect(exitCode).toBe(EXIT.profileNotMet)
  expect(stdout).toContain('NTIA minimum elements (2021): not met: of ')
  expect(stdout).toMatch(/Supplier name\s+missing\s+missing on 1 of 2 components/)
  expect(stdout).toMatch(/Component name\s+met\s+stated by 2 of 2 components/)
})

it('answers as JSON and CSV by several profiles, and writes a page', async () => {
  const file = givenSbom('image.json', [component('<b>a</b>')])
  const page = `${file}.html`

  const { stdout, exitCode } = await check(
    file,
    '--profile',
    'BSI,bsi-2.0,ntia,cisa',
    '--json',
    '--page',
    page,
  )
  const csv = await check(file, '--profile', 'cisa', '-o', 'csv')

  expect(exitCode).toBe(EXIT.profileNotMet)
  const answer = JSON.parse(stdout) as { grades: { profile: string; outcome: string }[] }
  expect(answer.grades.map(({ profile }) => profile)).toEqual(['bsi', 'bsi-2.0', 'ntia', 'cisa'])
  expect(csv.stdout).toMatch(/^profile,id,title,section,level,of,outcome,total,stated/)
  const html = readFileSync(page, 'utf8')
  expect(html).toContain('BSI TR-03183-2 v2.1')
  expect(html).toContain('missing on 1 of 1 component<')
  expect(html).not.toContain('<b>a</b>')
})

it('passes a document that states all that is asked for', async () => {
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    metadata: { timestamp: '2026-11-29T10:00:00Z', authors: [{ name: 'Build' }] },
    components: [
      { type: 'library', 'bom-ref': 'a', ...component('a', { supplier: { name: 'Acme' } }) },
      { type: 'library', 'bom-ref': 'b', ...component('b', { supplier: { name: 'Acme' } }) },
    ],
    dependencies: [{ ref: 'a', dependsOn: ['b'] }],
    compositions: [{ aggregate: 'incomplete', dependencies: ['a', 'b'] }],
  }
  const file = givenFile('whole.json', JSON.stringify(bom))

  expect(await check(file, '--profile', 'ntia')).toMatchObject({ exitCode: EXIT.ok })
})

it('refuses what it cannot grade, with words for it', async () => {
  const broken = await check(givenFile('broken.json', '{"bomFormat":'), '--profile', 'bsi')
  const absent = await check('/nowhere/bom.json', '--profile', 'bsi')
  const unknown = await check(givenSbom('x.json', []), '--profile', 'bsi,fda')
  const slip = await check(givenSbom('x.json', []), '--profile', 'bso')
  const without = await check(givenSbom('x.json', []), '--page', 'x.html')

  expect([broken.exitCode, absent.exitCode, unknown.exitCode, without.exitCode]).toEqual([
    EXIT.sbomFailed,
    EXIT.error,
    EXIT.error,
    EXIT.error,
  ])
  expect(broken.stderr).toContain('The JSON is broken.')
  expect(absent.stderr).toContain('there is no such file')
  expect(unknown.stderr).toContain('There is no profile "fda".')
  expect([slip.exitCode, slip.stderr]).toEqual([
    EXIT.error,
    expect.stringContaining('neither a profile to grade by (bsi, '),
  ])
})
