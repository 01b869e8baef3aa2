/** The real programs as an operator runs them: the service and `admin`, on the embedded database. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  endProcess,
  freePort,
  runAdmin,
  type ServiceProcess,
  type ServiceSettings,
  startServiceProcess,
} from './service-process.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'plimsoll-operator-'))
let settings: ServiceSettings
let service: ServiceProcess | undefined

beforeAll(async () => {
  settings = { dataDir, port: await freePort(), managementPort: await freePort() }
})

afterAll(async () => {
  if (service) await endProcess(service.child, 'SIGTERM')
  rmSync(dataDir, { recursive: true, force: true })
})

const readRepository = (path: string) =>
  readFileSync(join(import.meta.dirname, '../..', path), 'utf8')

/** What the dashboard and the rules of deploy/ ask Prometheus for. */
function watchedMetrics(): string[] {
  const texts = ['deploy/prometheus/plimsoll.rules.yml', 'deploy/grafana/plimsoll.json']
  const names = texts.flatMap((path) =>
    [...readRepository(path).matchAll(/\b(?:plimsoll|process|nodejs)_\w+/g)].map(([name]) =>
      name.replace(/_(?:bucket|count)$/, ''),
    ),
  )
  return [...new Set(names)]
}

interface Bootstrap {
  workspaceId: string
  apiKey: string
  setupUrl: string
}

async function admin(...args: string[]) {
  const { code, stdout, stderr } = await runAdmin(settings, ...args, '--json')
  return { code, stderr, answer: stdout === '' ? undefined : (JSON.parse(stdout) as unknown) }
}

function processesOf(folder: string): string[] {
  const all = execFileSync('ps', ['-eo', 'pid,stat,args'], { encoding: 'utf8' }).split('\n')
  return all.filter((line) => line.includes(folder) && !/^\s*\d+\s+Z/.test(line))
}

function settingsOf(key: string, workspaceId: string): Promise<Response> {
  const url = `http://127.0.0.1:${settings.port}/workspaces/${workspaceId}/settings`
  return fetch(url, { headers: { authorization: `Bearer ${key}` } })
}

describe('operator commands', () => {
  let bootstrapped: Bootstrap

  it('make a workspace before the service ever ran', async () => {
    const { code, answer } = await admin(
      'bootstrap',
      '--workspace',
      'Acme',
      '--owner',
      'Owner@Example.com',
    )

    bootstrapped = answer as Bootstrap
    expect(code).toBe(0)
    expect(Object.keys(bootstrapped)).toEqual(['workspaceId', 'apiKey', 'setupUrl'])
    expect(bootstrapped.setupUrl).toMatch(/^http:\/\/localhost:\d+\/setup#token=.{43}$/)
    expect(processesOf(dataDir)).toEqual([])
  })

  it('make and revoke keys while the service runs, and it obeys at once', async () => {
    service = await startServiceProcess(settings)
    const { workspaceId } = bootstrapped

    const created = await admin(
      'key',
      'create',
      '--workspace',
      workspaceId,
      '--name',
      'ci',
      '--scope',
      'Workspace settings: read',
      '--scope',
      'SBOMs: read',
    )
    const { id, apiKey } = created.answer as { id: string; apiKey: string }
    const before = await settingsOf(apiKey, workspaceId)
    const revoked = await admin('key', 'revoke', id)
    const after = await settingsOf(apiKey, workspaceId)

    expect(apiKey).toMatch(/^plm_/)
    expect(revoked.answer).toEqual({ id, revoked: true })
    expect([before.status, after.status]).toEqual([200, 401])
  })

  it.each([
    [
      ['key', 'create', '--workspace', 'nonsense', '--name', 'x', '--scope', 'SBOMs: read'],
      'No workspace has the id "nonsense".',
    ],
    [
      [
        'key',
        'create',
        '--workspace',
        crypto.randomUUID(),
        '--name',
        'x',
        '--scope',
        'SBOMs: read',
      ],
      'No workspace has the id',
    ],
    [['key', 'revoke', 'nonsense'], 'No API key has the id "nonsense".'],
    [['bootstrap', '--workspace', 'x', '--owner', 'no address'], 'is not an e-mail address'],
    [['bootstrap', '--workspace', 'x'], "required option '--owner <email>' not specified"],
    [['feeds', 'import', '/nowhere'], '/nowhere'],
    [['feeds', 'import', '.', '--source', 'nonsense'], 'is not a source'],
  ])('refuse %j in words', async (args, message) => {
    const { code, stderr } = await admin(...args)

    expect(code).toBe(1)
    expect(stderr).toContain(message)
    expect(stderr).not.toMatch(/^\s+at /m)
  })

  it('refuse an unknown scope, naming those there are', async () => {
    const { code, stderr } = await admin(
      'key',
      'create',
      '--workspace',
      bootstrapped.workspaceId,
      '--name',
      'x',
      '--scope',
      'Everything',
    )

    expect(code).toBe(1)
    expect(stderr).toContain('Unknown scope Everything. The scopes are: Workspace settings: read')
  })

  it('import advisories, and say what was skipped and why', async () => {
    const folder = join(dataDir, 'advisories')
    mkdirSync(folder)
    const record = { id: 'PYSEC-2026-1', modified: '2026-01-01T00:00:00Z', affected: [] }
    writeFileSync(
      join(folder, 'osv.jsonl'),
      `${JSON.stringify(record)}\n\n{"id":5,"modified":"x"}\n`,
    )

    const first = await admin('feeds', 'import', folder)
    const second = await admin('feeds', 'import', folder)

    const skippedRecords = [{ file: join(folder, 'osv.jsonl'), record: 2, line: 3, id: null }]
    expect(first.answer).toMatchObject({
      sources: [{ source: 'osv', added: 1, skipped: 1, skippedRecords }],
    })
    expect(second.answer).toMatchObject({
      sources: [{ source: 'osv', added: 0, changed: 0, unchanged: 1, skipped: 1 }],
    })
  })
})

describe('the service', () => {
  it('refuses to run twice on one folder, and says why', async () => {
    const second = { ...settings, port: await freePort(), managementPort: await freePort() }

    await expect(startServiceProcess(second)).rejects.toThrow(
      /another .*(service|server|instance)/i,
    )
  })

  it('names a port that is taken', async () => {
    const managementPort = await freePort()
    const second = { ...settings, dataDir: join(dataDir, 'other'), managementPort }

    await expect(startServiceProcess(second)).rejects.toThrow(
      /PLIMSOLL_PORT: port \d+ is taken.*; choose a free one/,
    )
  })

  it('reports all faults of its settings at once', async () => {
    const second = {
      ...settings,
      managementPort: await freePort(),
      env: { PLIMSOLL_LOG_LEVEL: 'loud', PLIMSOLL_SBOM_MAX_FILES: 'x' },
    }

    await expect(startServiceProcess(second)).rejects.toThrow(
      /PLIMSOLL_LOG_LEVEL[^]*PLIMSOLL_SBOM_MAX_FILES/,
    )
  })

  it('is healthy and shows its jobs as metrics', async () => {
    const url = service?.managementUrl ?? ''

    const [live, ready, metrics] = await Promise.all(
      ['/health/live', '/health/ready', '/metrics'].map(async (path) =>
        (await fetch(url + path)).text(),
      ),
    )

    expect(live).toContain('"ok"')
    expect(ready).toContain('"database":true')
    expect(metrics).toMatch(/plimsoll_jobs\{queue="sboms\.uploaded",state="failed"\} 0/)
    const given = [...(metrics ?? '').matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name)
    const own = given.filter((name) => name.startsWith('plimsoll_'))
    const guide = readRepository('docs/guide/metrics.md')
    expect(own.filter((name) => !guide.includes(`\`${name}\``))).toEqual([])
    expect(watchedMetrics().filter((name) => !given.includes(name))).toEqual([])
  })

  it('has no devices among its metrics', async () => {
    const named = ['bootstrap', '--workspace', 'Fleet', '--owner', 'fleet@example.com']
    const { workspaceId, apiKey } = (await admin(...named)).answer as Bootstrap
    const { answer } = await admin('device-key', 'create', '--workspace', workspaceId)
    const { deviceKey } = answer as { deviceKey: string }
    const ids = ['unit-one', 'unit-two', 'unit-three']
    const post = async (path: string, key: string, payload: object) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const body = JSON.stringify(payload)
      const url = `http://127.0.0.1:${settings.port}${path}`
      return (await fetch(url, { method: 'POST', headers, body })).status
    }

    const statuses = await Promise.all(
      ids.map(async (id) => {
        await post(`/workspaces/${workspaceId}/devices`, apiKey, { id })
        return post(`/device/v1/${workspaceId}/${id}/sync`, deviceKey, {})
      }),
    )
    const metrics = await (await fetch(`${service?.managementUrl ?? ''}/metrics`)).text()

    expect(statuses).toEqual([200, 200, 200])
    expect(metrics).toMatch(/plimsoll_http_request_duration_seconds_count\{.*sync.*\} 3/)
    expect(metrics).not.toContain('unit-')
    const requests = metrics.split('\n').filter((line) => line.startsWith('plimsoll_http'))
    expect(requests.join('\n')).not.toContain(workspaceId)
  })

  it('is told on one page, and its settings without a database', async () => {
    const { answer: status, code } = await admin('status')
    const { answer: settingsRead } = await admin('config', 'check')

    expect(code).toBe(1)
    expect(status).toMatchObject({
      status: expect.arrayContaining([
        { name: 'this node', text: 'ready', isFault: false },
        { name: 'role api', text: 'runs at 1 node', isFault: false },
        { name: 'role worker', text: 'runs at 1 node', isFault: false },
        expect.objectContaining({ name: 'node' }),
        expect.objectContaining({ name: 'disk' }),
        expect.objectContaining({ name: 'nvd', isFault: true }),
      ]) as unknown,
    })
    expect(settingsRead).toMatchObject({ database: 'embedded' })
  })

  it('warns on that page of settings that are not meant, without a fault', async () => {
    const env = { PLIMSOLL_BACKUP_TO: 's3://bucket/x', PLIMSOLL_PORTS: '1' }

    const { stdout } = await runAdmin({ ...settings, env }, 'status', '--json')
    const { status } = JSON.parse(stdout) as {
      status: { name: string; text: string; isFault: boolean }[]
    }

    // The settings of the tests themselves are among them.
    const warnings = status.filter(({ name }) => name === 'warning')
    expect(warnings).toContainEqual(
      expect.objectContaining({ text: expect.stringMatching(/^Secrets of/) as unknown }),
    )
    expect(warnings).toContainEqual(
      expect.objectContaining({ text: expect.stringMatching(/^PLIMSOLL_PORTS/) as unknown }),
    )
    expect(warnings.filter(({ isFault }) => isFault)).toEqual([])
  })

  it('says how the service is started, as an answer and not as a fault', () => {
    const words = [join(import.meta.dirname, '../src/main.ts'), '--help']

    // It throws where the exit code is another than 0.
    expect(execFileSync(process.execPath, words, { encoding: 'utf8' })).toMatch(/^Usage: .*--roles/)
  })

  it('says nothing of a reader that has gone, as in `status | head`', () => {
    const script = '{ "$0" server/src/admin.ts --help | true; } 2>&1'
    const cwd = join(import.meta.dirname, '../..')

    const said = execFileSync('sh', ['-c', script, process.execPath], { cwd, encoding: 'utf8' })

    expect(said).toBe('')
  })

  it('tells of scheduled backups that are overdue, and when the next is due', async () => {
    const folder = join(dataDir, 'backups')
    const withSchedule = { ...settings, env: { PLIMSOLL_BACKUP_TO: folder } }
    const backups = async () => {
      const { stdout } = await runAdmin(withSchedule, 'status', '--json')
      const { status } = JSON.parse(stdout) as { status: { name: string }[] }
      return status.find(({ name }) => name === 'backups')
    }

    const never = await backups()
    await runAdmin(withSchedule, 'backup', folder)
    const taken = await backups()

    expect(never).toEqual({
      name: 'backups',
      text: 'none was ever taken; overdue',
      isFault: true,
    })
    expect(taken).toMatchObject({
      text: expect.stringMatching(
        /^the last good one is of 20.+Z, 0 hours old; the next is due/,
      ) as string,
      isFault: false,
    })
  })

  it('has each name of a workspace once, and keys that are replaced', async () => {
    const named = ['bootstrap', '--workspace', 'Twice', '--owner', 'twice@example.com']
    const { answer } = await admin(...named)
    const { workspaceId, apiKey } = answer as Bootstrap
    const whoami = await fetch(`http://127.0.0.1:${settings.port}/whoami`, {
      headers: { authorization: `Bearer ${apiKey}` },
    })
    const { key } = (await whoami.json()) as { key: { id: string } }

    const again = await admin(...named)
    const { answer: rotated } = await admin('key', 'rotate', key.id)
    const listed = await runAdmin(settings, 'key', 'list', '--workspace', 'Twice')
    const { answer: list } = await admin('key', 'list', '--workspace', workspaceId)
    const old = await settingsOf(apiKey, workspaceId)
    const fresh = await settingsOf((rotated as Bootstrap).apiKey, workspaceId)

    expect(again.code).toBe(1)
    expect(again.stderr).toContain('There is a workspace called "Twice" already')
    expect([old.status, fresh.status]).toEqual([401, 200])
    expect(list).toMatchObject({
      apiKeys: [
        { id: (rotated as { id: string }).id, revokedAt: null, expiresAt: null },
        { id: key.id, lastUsedAt: expect.stringMatching(/^20/) as string },
      ],
    })
    expect(listed.stdout).toMatch(
      new RegExp(`^${key.id}  .+  created 20.+  last used 20.+  revoked 20.+SBOMs: read`, 'm'),
    )
    for (const { stdout } of [listed, { stdout: JSON.stringify(list) }])
      expect(stdout).not.toMatch(/plm_|hash/i)
  })

  it('answers 503 while its database is away, and recovers by itself', async () => {
    const { answer } = await admin(
      'bootstrap',
      '--workspace',
      'Away',
      '--owner',
      'away@example.com',
    )
    const { workspaceId, apiKey } = answer as Bootstrap
    const postgres = processesOf(join(dataDir, 'postgres')).find((line) =>
      /bin\/postgres .*-D/.test(line),
    )
    const statuses: number[] = []

    process.kill(Number(postgres?.trim().split(/\s+/)[0]), 'SIGKILL')
    const deadline = Date.now() + 45_000
    while (statuses.at(-1) !== 200 && Date.now() < deadline) {
      const response = await settingsOf(apiKey, workspaceId)
      statuses.push(response.status)
      if (response.status !== 200)
        expect(await response.json()).toMatchObject({ type: '/problems/database-unavailable' })
      await delay(50)
    }

    expect(new Set(statuses).difference(new Set([200, 503]))).toEqual(new Set())
    expect(statuses.at(-1)).toBe(200)
  })

  it('ends on SIGTERM with its database, and starts again with all it had', async () => {
    if (!service) throw new Error('the service did not start')
    await endProcess(service.child, 'SIGTERM')
    const left = processesOf(join(dataDir, 'postgres'))
    const { answer: status } = await admin('status')

    const exitCode = service.child.exitCode
    service = await startServiceProcess(settings)
    const { answer } = await admin(
      'bootstrap',
      '--workspace',
      'Later',
      '--owner',
      'later@example.com',
    )

    expect(exitCode).toBe(0)
    expect(status).toMatchObject({
      status: expect.arrayContaining([
        { name: 'role worker', text: 'runs nowhere', isFault: true },
      ]) as unknown,
    })
    expect(left).toEqual([])
    expect(answer).toMatchObject({ apiKey: expect.stringMatching(/^plm_/) as string })
  })

  it('ends with its database when it is killed', async () => {
    if (!service) throw new Error('the service did not start')

    await endProcess(service.child, 'SIGKILL')

    await expect.poll(() => processesOf(join(dataDir, 'postgres'))).toEqual([])
  })
})
