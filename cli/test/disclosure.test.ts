/** The commands of reports from outside, which a browser without scripts has sent, and of upstream reports. */
import { expect, it } from 'vitest'
import { runPlimsoll, startService } from './service.ts'

const service = await startService({ withWorker: false })
const environment = service.environmentOf(await service.givenWorkspace())
const run = (...args: string[]) => runPlimsoll(environment, args)

const FORM = 'application/x-www-form-urlencoded'

/** Sends a report; answers its id. */
async function givenReport(title: string, text: string): Promise<string> {
  const on = await run('disclosure', 'policy', '--public', '--json')
  const { pageUrl } = JSON.parse(on.stdout) as { pageUrl: string }
  const address = `${environment['PLIMSOLL_URL']}${new URL(pageUrl).pathname}`
  const sent = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': FORM },
    body: new URLSearchParams({ title, text }).toString(),
  })
  expect([sent.status, sent.redirected]).toEqual([200, true])
  const { stdout } = await run('disclosure', 'list', '--json')
  const { reports } = JSON.parse(stdout) as { reports: { id: string; title: string }[] }
  return reports.find((one) => one.title === title)?.id ?? ''
}

it('shows the policy, and changes what it is told to', async () => {
  const before = await run('disclosure', 'policy')
  const on = await run('disclosure', 'policy', '--public', '--answer-days', '1')
  const both = await run('disclosure', 'policy', '--public', '--private')

  expect(before.stdout).toContain('Not public: no report is taken')
  expect(before.stdout).toContain('5 working days')
  expect(on.stdout).toMatch(/^Public: .*\n(.*\n)*.*1 working day\n/)
  expect(both.exitCode).not.toBe(0)
})

it('lists, answers, notes, proposes and ends a report, and prints its text as text', async () => {
  const id = await givenReport('Root', 'Look: \u001b[31mred')
  const listed = await run('disclosure', 'list', '--waiting')
  await run('disclosure', 'answer', id, 'Thank you.')
  await run('disclosure', 'note', id, 'Ours.')
  const proposed = await run('disclosure', 'propose', id, '--title', 'Root over the console')
  await run('disclosure', 'embargo', id, '--until', '30d', '--reason', 'Agreed')
  await run('disclosure', 'credit', id, 'Ada')
  const shown = await run('disclosure', 'show', id)
  const ended = await run('disclosure', 'disclosed', id, '--at', '1m')
  const reopened = await run('disclosure', 'reopen', id, '--reason', 'Not yet')
  const dismissed = await run(
    'disclosure',
    'dismiss',
    id,
    '--kind',
    'Spam',
    '--reason',
    'Sells something',
  )
  const left = await run('disclosure', 'list')
  const all = await run('disclosure', 'list', '--all')

  expect(listed.stdout).toMatch(/Root\s+New\s+yes\s+Answer/)
  expect(proposed.stdout).toMatch(/Root: the case [0-9a-f-]{36} is proposed\. It is Accepted\./)
  expect(shown.stdout).not.toContain('\u001b')
  expect(shown.stdout).toMatch(/Contact:\s+anonymous/)
  expect(shown.stdout).toMatch(/Credit:\s+Ada/)
  expect(shown.stdout).toContain('Answer (good practice)')
  expect(shown.stdout).toMatch(/Answer, by .*\nThank you\./)
  expect(ended.stdout).toContain('It is Disclosed.')
  expect(reopened.stdout).toContain('It is Accepted.')
  expect(dismissed.stdout).toContain('It is Dismissed.')
  expect(left.stdout).not.toContain('Root')
  expect(all.stdout).toMatch(/Root\s+Spam/)
})

it('joins a case by its title, and says which command lists reports', async () => {
  const id = await givenReport('Overflow', 'It reads too far.')
  await run('case', 'create', '--title', 'Overflow in the parser')
  const joined = await run('disclosure', 'join', id, 'Overflow in the parser')
  const none = await run('disclosure', 'show', crypto.randomUUID())

  expect(joined.stdout).toContain('joined the case')
  expect(none.stderr).toContain('plimsoll disclosure list --all shows what there is')
})

it('lists no upstream report where none is recorded, and names no finding that is not there', async () => {
  const listed = await run('upstream-report', 'list')
  const create = ['upstream-report', 'create', 'x'.repeat(60), '--to', 'Upstream', '--text', 'Flaw']
  const refused = await run(...create)

  expect(listed.stdout).toBe('No upstream reports.\n')
  expect(refused.exitCode).not.toBe(0)
})
