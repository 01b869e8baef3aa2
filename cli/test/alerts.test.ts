import { ALERT_RULE_TYPE } from '../../api-client/src/index.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { EventEmitter } from 'node:events'
import { EXIT } from '../src/exit-codes.ts'
import { findExample } from '../src/rule-options.ts'
import { evaluateDueRules } from '../../server/src/features/alert-evaluation/index.ts'
import { givenDevice, metrics, storeTelemetry } from '../../server/test/given-telemetry.ts'
import { type Environment, givenFile, runPlimsoll, startService } from './service.ts'

let service: Awaited<ReturnType<typeof startService>>
let environment: Environment
let now = new Date('2026-08-22T12:00:30Z')

beforeAll(async () => {
  service = await startService({ withWorker: false })
  service.ctx.now = () => now
  const workspace = await service.givenWorkspace()
  environment = service.environmentOf(workspace)
  const device = await givenDevice(service.ctx, workspace.workspaceId, { id: 'gw-1' })
  const point = { name: 'temperature', value: 91, timestamp: new Date('2026-08-22T12:01:30Z') }
  await storeTelemetry(service.ctx, metrics(device, [point], now))
})

const run = (...args: string[]) => runPlimsoll(environment, args)
const json = async <Answer>(...args: string[]): Promise<Answer> =>
  JSON.parse((await run(...args, '--json')).stdout) as Answer

const HOT = {
  name: 'CPU too hot',
  type: 'MetricFixedThreshold',
  evaluationFrequency: '1m',
  condition: { metric: 'temperature', operator: 'GreaterThan', threshold: 80, window: '5m' },
}
const ruleFile = (name: string, rule: object) => givenFile(name, JSON.stringify(rule))

describe('plimsoll alert-rule and incident', () => {
  it('makes a rule, shows that it fires, and takes note of who cares', async () => {
    const made = await json<{ id: string }>(
      'alert-rule',
      'create',
      '--file',
      ruleFile('a.json', HOT),
    )
    now = new Date('2026-08-22T12:02:01Z')
    await evaluateDueRules(service.ctx)

    const listed = await run('alert-rule', 'list')
    const shown = await run('alert-rule', 'show', made.id)
    const open = await json<{ incidents: { id: string }[] }>('incident', 'list', '--open')
    const id = open.incidents[0]?.id ?? ''
    const table = await run('incident', 'list')
    const incident = await run('incident', 'show', id)
    const acknowledged = await run('incident', 'acknowledge', id)
    const after = await json('incident', 'show', id)
    const back = await run('incident', 'unacknowledge', id)
    const again = await run('incident', 'unacknowledge', id)

    expect(back.stdout).toBe('CPU too hot: not acknowledged any more\n')
    expect(await json('incident', 'show', id)).toMatchObject({ acknowledgedAt: null })
    expect(again.stderr).toContain('The incident is not acknowledged.')
    expect(listed.stdout).toMatch(/CPU too hot +Firing +MetricFixedThreshold +1m +Firing/)
    expect(shown.stdout).toMatch(/\n {2}threshold: +80\n/)
    expect(shown.stdout).toMatch(/2026-08-22 12:02:00 +Firing +1 +1 of 1 +91 +91/)
    expect(table.stdout).toMatch(/CPU too hot +2026-08-22 12:02:00 +lasts +1 of 1/)
    expect(incident.stdout).toMatch(/gw-1 +2026-08-22 12:02:00 +now +91/)
    expect(acknowledged.exitCode).toBe(EXIT.ok)
    expect(after).toMatchObject({ acknowledgedAt: now.toISOString(), series: [{ series: 'gw-1' }] })
  })

  it('acknowledges all open incidents of a rule, asks first, and takes that back', async () => {
    const all = ['incident', 'acknowledge', '--all', '--of-rule', HOT.name, '--note', 'Hall 2']

    const asked = await run(...all)
    const dry = await run(...all, '--dry-run')
    const done = await json<{ changed: number; alertIncidentBatchId: string }>(...all, '--yes')
    const back = await run('incident', 'undo', done.alertIncidentBatchId)
    const neither = await run('incident', 'acknowledge')

    expect(asked.stderr).toContain('Acknowledge 1 incident of 1 that match?')
    expect(dry.stdout).toBe('1 incident of 1 that match would change\n')
    expect(done.changed).toBe(1)
    expect(back.stdout).toBe('1 incident is as before\n')
    expect(neither.stderr).toContain('ids of incidents, or --all')
  })

  it('silences what fired, says so, and takes a note and whoever looks after it', async () => {
    await json('alert-rule', 'create', '--file', ruleFile('s.json', { ...HOT, name: 'Silenced' }))
    const before = now
    now = new Date('2026-08-22T12:03:01Z')
    await evaluateDueRules(service.ctx)
    const open = await json<{ incidents: { id: string }[] }>(
      'incident',
      'list',
      '--open',
      '--rule',
      'Silenced',
    )
    const id = open.incidents[0]?.id ?? ''
    const [member] = await json<{ subjectId: string; email: string }[]>('member', 'list')

    const silenced = await json<{ id: string }>(
      'incident',
      'silence',
      id,
      '--until',
      '2026-08-22T18:00:00Z',
      '--reason',
      'Fan is due',
    )
    const silences = await run('incident', 'silences')
    const noted = await run('incident', 'note', id, 'Somebody goes there')
    const given = await run('incident', 'assign', id, '--to', member?.email ?? '')
    const shown = await run('incident', 'show', id)
    const listed = await run('incident', 'list', '--assignee', member?.email ?? '')
    const ended = await run('incident', 'end-silence', silenced.id)
    const left = await json('incident', 'silences')
    const nobodys = await run('incident', 'assign', id, '--to', 'nobody')
    now = before

    expect(silences.stdout).toMatch(
      /Silenced +1 series that fired +2026-08-22 18:00:00 +Fan is due/,
    )
    expect(noted.stdout).toContain('note: Somebody goes there')
    expect(given.stdout).toContain(`${member?.email} looks after it`)
    expect(shown.stdout).toMatch(/Silenced until: +2026-08-22 18:00:00/)
    expect(shown.stdout).toMatch(/Note: +Somebody goes there/)
    expect(shown.stdout).toContain('1 series that fired: Fan is due')
    expect(listed.stdout).toMatch(/Silenced .*2026-08-22 18:00:00/)
    expect(ended.stdout).toContain('people are told again')
    expect(left).toEqual({ silences: [] })
    expect(nobodys.stdout).toContain('nobody looks after it')
  })

  it('takes back what it showed, edited', async () => {
    const made = await json<{ id: string }>(
      'alert-rule',
      'create',
      '--file',
      ruleFile('b.json', HOT),
    )
    const shown = await json<object>('alert-rule', 'show', made.id)
    const file = ruleFile('edited.json', { ...shown, name: 'Hotter' })

    const updated = await run('alert-rule', 'update', made.id, '--file', file)
    const disabled = await json('alert-rule', 'disable', made.id)
    const others = await json<{ id: string }[]>('alert-rule', 'list', '--state', 'enabled')
    const enabled = await run('alert-rule', 'enable', made.id)
    const gone = await run('alert-rule', 'delete', made.id, '--yes')
    const again = await run('alert-rule', 'show', made.id)

    expect(updated.stdout).toBe(`Hotter: replaced, ${made.id}\n`)
    expect(disabled).toMatchObject({ name: 'Hotter', state: 'Disabled' })
    expect(others.map(({ id }) => id)).not.toContain(made.id)
    expect(enabled.stdout).toBe(`Hotter: enabled, ${made.id}\n`)
    expect(gone.stdout).toBe(`${made.id}: deleted\n`)
    expect(again.exitCode).toBe(EXIT.error)
  })

  it('shows what a rule would have done, stored or not', async () => {
    const file = ruleFile('tried.json', HOT)
    const made = await json<{ id: string }>('alert-rule', 'create', '--file', file)

    const tried = await run('alert-rule', 'dry-run', '--file', file)
    const stored = await json('alert-rule', 'dry-run', made.id)
    const both = await run('alert-rule', 'dry-run', made.id, '--file', file)

    expect(tried.stdout).toMatch(/^\d+ evaluations of 1 series: \d+ firing/)
    expect(tried.stdout).toMatch(/·█ {2}2026-08-22 12:02:00\n/)
    expect(tried.stdout).toMatch(/\ngw-1 +1 +2026-08-22 12:02:00 /)
    expect(stored).toMatchObject({ seriesCount: 1 })
    expect(both.stderr).toContain('Name a rule, or a file with one: --file.')
  })

  it('warns of a metric nobody sends', async () => {
    const condition = { ...HOT.condition, metric: 'temprature' }
    const file = ruleFile('misspelt.json', { ...HOT, condition })

    const { stderr, exitCode } = await run('alert-rule', 'create', '--file', file)

    expect(exitCode).toBe(EXIT.ok)
    expect(stderr).toMatch(/^Warning: .*temperature/)
  })

  it.each`
    rule                                                           | words
    ${{ ...HOT, condition: { ...HOT.condition, threshold: 'x' } }} | ${'/condition/threshold'}
    ${{ ...HOT, targets: [{ id: 'nobody' }] }}                     | ${'/targets/0'}
    ${{ ...HOT, nonsense: 1 }}                                     | ${'nonsense'}
  `('says that $words is wrong', async ({ rule, words }: { rule: object; words: string }) => {
    const { stderr, exitCode } = await run(
      'alert-rule',
      'create',
      '--file',
      ruleFile('c.json', rule),
    )

    expect(exitCode).toBe(EXIT.error)
    expect(stderr).toContain(words)
  })

  it.each(['show', 'acknowledge'])('incident %s says that there is none', async (command) => {
    const { stderr, exitCode } = await run('incident', command, 'nowhere')

    expect(exitCode).toBe(EXIT.error)
    expect(stderr).toContain('nowhere')
  })
})

describe('plimsoll notification-target', () => {
  it('makes targets and changes what is named alone', async () => {
    const emails = ['--email', 'a@example.com', '--email', 'b@example.com']
    const quiet = ['--quiet-hours', '22:00-06:00', '--time-zone', 'Europe/Berlin']
    const made = await json<{ id: string }>(
      'notification-target',
      'create',
      '--name',
      'On call',
      ...emails,
      ...quiet,
    )

    const listed = await run('notification-target', 'list')
    const update = ['notification-target', 'update', made.id]
    const daily = await json(...update, '--digest', '1d', '--digest-at', '08:00')
    const fewer = await json(...update, '--no-quiet-hours', '--email', 'b@example.com')
    const shown = await run('notification-target', 'show', made.id)
    const gone = await run('notification-target', 'delete', made.id, '--yes')

    expect(listed.stdout).toMatch(/On call +Enabled +0 of 2 +0/)
    expect(daily).toMatchObject({
      emailAddresses: ['a@example.com', 'b@example.com'],
      quietHours: { timeZone: 'Europe/Berlin', from: '22:00', to: '06:00' },
      digest: { every: '1d', at: '08:00' },
    })
    expect(fewer).toMatchObject({ quietHours: null, emailAddresses: ['b@example.com'] })
    expect(shown.stdout).toMatch(/\nDigest: +every 1d at 08:00 UTC\n/)
    expect(shown.stdout).toMatch(/b@example\.com +Pending/)
    expect(gone.exitCode).toBe(EXIT.ok)
  })

  it('says that there is no mail server', async () => {
    const address = ['--email', 'c@example.com']
    const made = await json<{ id: string }>(
      'notification-target',
      'create',
      '--name',
      'Test',
      ...address,
    )

    const { stderr, exitCode } = await run('notification-target', 'test', made.id)

    expect(exitCode).toBe(EXIT.error)
    expect(stderr).toContain('mail')
  })

  it.each([
    [['create', '--email', 'a@example.com'], '--name'],
    [['create', '--name', 'x', '--quiet-hours', '22:00'], '--quiet-hours'],
    [['create', '--name', 'x', '--email', 'nobody'], '/emailAddresses/0'],
    [['ask', 'nowhere', '--email', 'a@example.com'], 'nowhere'],
  ])('%j fails with words', async (args, words) => {
    const { stderr, exitCode } = await run('notification-target', ...args)

    expect(exitCode).toBe(EXIT.error)
    expect(stderr).toContain(words)
  })
})

describe('plimsoll webhook', () => {
  it('shows a secret when it is made and when it is another', async () => {
    const to = ['--to', 'https://hooks.example.com/plimsoll']
    const made = await json<{ id: string; secret: string }>(
      'webhook',
      'create',
      '--name',
      'Chat',
      ...to,
    )

    const rotated = await run('webhook', 'rotate-secret', made.id)
    const disabled = await run('webhook', 'update', made.id, '--state', 'disabled')
    const listed = await run('webhook', 'list')
    const test = await run('webhook', 'test', made.id)
    await run('webhook', 'delete', made.id, '--yes')
    const none = await run('webhook', 'list')

    expect(made.secret).toMatch(/^whsec_/)
    expect(rotated.stdout).toMatch(/^Its secret: whsec_/)
    expect(rotated.stdout).not.toContain(made.secret)
    expect(disabled.stdout).toBe('Chat: Disabled, https://hooks.example.com/plimsoll\n')
    expect(listed.stdout).toMatch(/Chat +Disabled +https:\/\/hooks\.example\.com\/plimsoll +0/)
    expect(test.exitCode).toBe(EXIT.error)
    expect(none.stdout).toBe('No webhooks.\n')
  })

  it('refuses private addresses', async () => {
    const to = ['--to', 'http://127.0.0.1/hook']
    const { stderr, exitCode } = await run('webhook', 'create', '--name', 'Own', ...to)

    expect(exitCode).toBe(EXIT.error)
    expect(stderr).toContain('PLIMSOLL_WEBHOOK_ALLOWED_HOSTS')
  })
})

describe('plimsoll alert-rule create', () => {
  it('makes a rule on a metric of options', async () => {
    const target = ['--name', 'On call', '--email', 'a@example.com']
    await run('notification-target', 'create', ...target)
    const create = ['alert-rule', 'create', '--metric', 'load']

    const made = await json(
      ...create,
      '--below',
      '-2.5',
      '--window',
      '10m',
      '--every',
      '5m',
      '--label',
      'cpu=0',
      '--target',
      'On call',
      '--remind',
      '4h',
      '--aggregation',
      'last',
    )
    const named = await run(...create, '--above', '3', '--name', 'Loaded')
    const unclear = await run(...create)
    const nothing = await run('alert-rule', 'create')
    const both = await run('alert-rule', 'create', '--file', 'x.json', '--name', 'y')
    const unknown = await run(...create, '--above', '1', '--target', 'Nobody')

    expect(made).toMatchObject({
      name: 'load below -2.5',
      type: 'MetricFixedThreshold',
      evaluationFrequency: '5m',
      condition: {
        metric: 'load',
        operator: 'LessThan',
        threshold: -2.5,
        window: '10m',
        labels: { cpu: '0' },
        aggregation: 'Last',
      },
      targets: [{ name: 'On call' }],
      repeatInterval: '4h',
    })
    expect(named.stdout).toMatch(/^Loaded: created, /)
    expect(unclear.stderr).toBe('Say when it is firing: --above or --below, one of them.\n')
    expect(nothing.stderr).toContain('--metric temperature --above 80, or --file rule.json')
    expect(both.stderr).toBe('--name belongs into the file, beside --file.\n')
    expect(unknown.stderr).toContain(
      'no notification target or webhook with the id or name "Nobody"',
    )
  })

  it.each(ALERT_RULE_TYPE)('prints an example of %s that can be created', async (type) => {
    const { stdout } = await run('alert-rule', 'create', '--example', type)
    const made = await json('alert-rule', 'create', '--file', givenFile('example.json', stdout))

    expect(made).toMatchObject({ type, name: findExample(type)?.name })
  })
})

describe('plimsoll incident watch', () => {
  it('tells of what is open, what is acknowledged, what begins and what ends, until Ctrl-C', async () => {
    const rule = ruleFile('w.json', { ...HOT, name: 'Watched' })
    now = new Date('2026-08-22T12:03:01Z')
    await run('alert-rule', 'create', '--file', rule)
    const signals = new EventEmitter()
    const idOf = async () => {
      const args = ['incident', 'list', '--open', '--rule', 'Watched']
      return (await json<{ incidents: { id: string }[] }>(...args)).incidents[0]?.id ?? ''
    }
    const later = [
      async () => {
        now = new Date('2026-08-22T12:04:01Z')
        await evaluateDueRules(service.ctx)
      },
      async () => run('incident', 'acknowledge', await idOf()),
      () => run('alert-rule', 'disable', 'Watched'),
      () => Promise.resolve(signals.emit('SIGINT')),
    ]

    const { stdout, exitCode } = await runPlimsoll(environment, ['incident', 'watch'], {
      signals,
      pause: async () => later.shift()?.(),
    })

    const lines = stdout.split('\n').filter((line) => line.includes('  Watched  '))
    expect(lines.map((line) => line.split('  ')[1])).toEqual(['began', 'acknowledged', 'ended'])
    expect(lines[0]).toMatch(/^2026-08-22 12:04:00  began  Watched  \S+  1 of 1 firing$/)
    expect(exitCode).toBe(EXIT.interrupted)
  })
})
