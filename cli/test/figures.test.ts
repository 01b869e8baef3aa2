import { beforeAll, expect, it } from 'vitest'
import { EXIT } from '../src/exit-codes.ts'
import { type Environment, runPlimsoll, startService } from './service.ts'

let environment: Environment
beforeAll(async () => {
  const service = await startService({ withWorker: false })
  environment = service.environmentOf(await service.givenWorkspace())
})

const run = (...args: string[]) => runPlimsoll(environment, args)

it('shows figures with what they do not tell, as a table, CSV, JSON and a page', async () => {
  const table = await run('figures', 'show', '--from', '2026-01-01')
  const parts = await run('figures', 'show', '--from', '2026-01-01', '--by', 'month', '--csv')
  const json = await run('figures', 'show', '--from', '2026-01-01', '--json')
  const page = await run('reports', 'figures', '--from', '2026-01-01')
  const cases = await run('figures', 'cases', 'timetotriage', '--from', '2026-01-01')

  expect(table).toMatchObject({ exitCode: EXIT.ok })
  expect(table.stdout).toMatch(/\nTime to triage +Median +no case +0\n/)
  expect(table.stderr).toContain('The period is not over')
  expect(parts.stdout).toMatch(/^FIGURE,PART,MEASURE,VALUE,CASES\r\n/)
  expect(JSON.parse(json.stdout)).toMatchObject({ from: '2026-01-01', isClosed: false })
  expect(page.stdout).toContain('<h1>1 Jan 2026 to ')
  expect(cases.stdout).toBe('No cases.\n')
})

it.each([
  [['show', '--from', '2026-02-30'], 'from is not a valid date'],
  [['show', '--from', '2026-01-01', '--firmware', 'nobody'], 'slug "nobody"'],
  [['cases', 'luck', '--from', '2026-01-01'], '"luck" is no figure, as these are: timeToTriage'],
])('says what is wrong with %j', async (args, words) => {
  const { exitCode, stderr } = await run('figures', ...args)

  expect(exitCode).not.toBe(EXIT.ok)
  expect(stderr).toContain(words)
})
