/** The commands of the map of the law. */
import { expect, it } from 'vitest'
import { runPlimsoll, startService } from './service.ts'

const service = await startService({ withWorker: false })
const environment = service.environmentOf(await service.givenWorkspace())
const run = (...args: string[]) => runPlimsoll(environment, args)

it('lists points with articles, shows one with its facts, and keeps what is written until it is cleared', async () => {
  const listed = await run('obligation', 'list')
  const written = await run(
    'obligation',
    'note',
    'properties',
    '--responsible',
    'Vera Holm',
    '--due',
    '2027-03-01',
    '--text',
    'In the risk \u001b[31massessment',
  )
  const shown = await run('obligation', 'show', 'properties')
  const cleared = await run('obligation', 'note', 'properties', '--text', '', '--json')

  expect(listed.stdout).toMatch(/sboms +law +Annex I, part II, \(1\)/)
  expect(listed.stdout).toMatch(/audit-seals +good practice/)
  expect(written.stdout).toBe('properties: written\n')
  expect(shown.stdout).toContain('Vera Holm')
  expect(shown.stdout).toContain('Not known: Plimsoll does not look at it')
  expect(shown.stdout).not.toContain('\u001b')
  expect(JSON.parse(cleared.stdout)).toMatchObject({ responsible: 'Vera Holm', text: null })
})

it('names the points where one is unknown, and writes nothing where nothing is said', async () => {
  const unknown = await run('obligation', 'show', 'everything')
  const empty = await run('obligation', 'note', 'sboms')

  expect(unknown.exitCode).not.toBe(0)
  expect(unknown.stderr).toContain('known-vulnerabilities')
  expect(empty.exitCode).not.toBe(0)
  expect(empty.stderr).toContain('Nothing to write')
})
