/** The commands of advisories, by a key, which drafts and shows but cannot publish. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runPlimsoll, startService } from './service.ts'

const service = await startService({ withWorker: false })
const environment = service.environmentOf(await service.givenWorkspace())
const run = (...args: string[]) => runPlimsoll(environment, args)
const folder = mkdtempSync(join(tmpdir(), 'advisory-'))

it('drafts, changes what was read, shows what is missing, and asks before it deletes', async () => {
  const none = await run('advisory', 'list')
  const made = await run('advisory', 'draft', '--title', 'A flaw', '--json')
  const draft = JSON.parse(made.stdout) as { id: string; summary: string }
  const file = join(folder, 'edited.json')
  writeFileSync(file, JSON.stringify({ ...draft, summary: 'Update to 2.4.2.' }))
  const changed = await run('advisory', 'update', draft.id, file)
  const shown = await run('advisory', 'show', draft.id)
  const document = join(folder, 'draft.json')
  const written = await run('advisory', 'document', draft.id, '--output', document)
  const asked = await run('advisory', 'delete', draft.id)
  const gone = await run('advisory', 'delete', draft.id, '--yes')

  expect(none.stdout).toBe('No advisories.\n')
  expect(changed.stdout).toContain('Still missing: It names no vulnerability.')
  expect(shown.stdout).toMatch(/A flaw \(Draft\)\n\nUpdate to 2\.4\.2\./)
  expect(written.exitCode).toBe(0)
  expect(JSON.parse(readFileSync(document, 'utf8'))).toMatchObject({
    document: { title: 'A flaw', tracking: { status: 'draft' } },
  })
  expect([asked.exitCode, asked.stderr]).toEqual([asked.exitCode, expect.stringContaining('--yes')])
  expect(asked.exitCode).not.toBe(0)
  expect(gone.stdout).toContain('deleted')
})

it('does not publish by a key, and says so', async () => {
  const made = await run('advisory', 'draft', '--title', 'Another flaw', '--json')
  const { id } = JSON.parse(made.stdout) as { id: string }
  const asked = await run('advisory', 'publish', id, '--summary', 'First.')

  const refused = await run('advisory', 'publish', id, '--summary', 'First.', '--yes')

  expect(asked.stderr).toContain('nobody else can read it until')
  expect(refused.exitCode).not.toBe(0)
  expect(refused.stderr).toContain('plimsoll login')
})

it('makes advisories public and private again, and writes a security.txt', async () => {
  const without = await run('advisory', 'security-text')
  const off = await run('advisory', 'publisher')
  const set = ['--prefix', 'ACME', '--contact', 'psirt@acme.example', 'https://acme.example/report']
  const on = await run('advisory', 'publisher', '--public', ...set)
  const text = await run('advisory', 'security-text')
  const again = await run('advisory', 'publisher', '--private')

  expect(without.exitCode).not.toBe(0)
  expect(without.stderr).toContain('There is no contact')
  expect(off.stdout).toContain('Not public')
  expect(on.stdout).toMatch(/numbered ACME-YEAR-NUMBER\nPublic: everybody/)
  expect(text.stdout).toMatch(/^Contact: mailto:psirt@acme\.example\nContact: https:/)
  expect(text.stdout).toMatch(/\nCSAF: \S+\/provider-metadata\.json\n$/)
  expect(again.stdout).toContain('Not public')
})
