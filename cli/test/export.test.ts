import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, statSync, symlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { EXIT } from '../src/exit-codes.ts'
import { type Environment, givenFile, givenSbom, runPlimsoll, startService } from './service.ts'

const VERSION = ['--firmware', 'gateway', '--version', '1.0']

let environment: Environment
let sbom: string
beforeAll(async () => {
  const service = await startService({ withWorker: true })
  environment = service.environmentOf(await service.givenWorkspace())
  const file = givenSbom('image.json', [
    { name: '=danger', version: '1.0', purl: 'pkg:generic/danger@1.0' },
    { name: 'linux', version: '6.6.21', cpe: 'cpe:2.3:o:linux:linux_kernel:6.6.21:*:*:*:*:*:*:*' },
  ])
  await runPlimsoll(environment, ['sbom', 'upload', file, ...VERSION, '--create', '--wait'])
  const { stdout } = await runPlimsoll(environment, ['sbom', 'list', ...VERSION, '--json'])
  sbom = (JSON.parse(stdout) as { sboms: { id: string }[] }).sboms[0]?.id ?? ''
})

describe('plimsoll findings export', () => {
  it('writes CSV to stdout, and SARIF to a file', async () => {
    const output = givenFile('findings.sarif', 'what was there before')
    const csv = await runPlimsoll(environment, ['findings', 'export', ...VERSION])
    const args = ['findings', 'export', ...VERSION, '--format', 'sarif', '--output', output]
    const sarif = await runPlimsoll(environment, args)

    expect(csv).toMatchObject({ exitCode: EXIT.ok, stderr: '' })
    expect(csv.stdout).toMatch(/^id,cveId,name,severity,.*\r\n$/)
    expect(sarif).toMatchObject({ exitCode: EXIT.ok, stdout: '', stderr: `Wrote ${output}.\n` })
    expect(JSON.parse(readFileSync(output, 'utf8'))).toMatchObject({ version: '2.1.0' })
    expect(readdirSync(dirname(output)).filter((name) => name.endsWith('.partial'))).toEqual([])
  })

  it('writes to what a link names, and into a pipe', async () => {
    const kept = givenFile('kept.json', 'what was there before')
    const at = (name: string) => join(dirname(kept), name)
    symlinkSync(kept, at('link'))
    execFileSync('mkfifo', [at('pipe')])
    const args = ['findings', 'export', ...VERSION, '--output']

    const linked = await runPlimsoll(environment, [...args, at('link')])
    expect(linked).toMatchObject({ exitCode: EXIT.ok })
    const [piped, text] = await Promise.all([
      runPlimsoll(environment, [...args, at('pipe')]),
      readFile(at('pipe'), 'utf8'),
    ])

    expect(piped.exitCode).toBe(EXIT.ok)
    expect(readlinkSync(at('link'))).toBe(kept)
    expect(text.length).toBeGreaterThan(50)
    expect(readFileSync(kept, 'utf8').length).toBe(text.length)
    expect(statSync(at('pipe')).isFIFO()).toBe(true)
  })

  it('writes no file where it fails', async () => {
    const output = givenFile('kept.csv', 'kept')
    const args = ['components', 'export', '--sbom', 'nothing', '--output', output]
    const failed = await runPlimsoll(environment, args)
    const format = await runPlimsoll(environment, [
      'findings',
      'export',
      ...VERSION,
      '--format',
      'x',
    ])

    expect(failed.exitCode).toBe(EXIT.error)
    expect(failed.stderr).toContain('No SBOM has the id "nothing"')
    expect(readFileSync(output, 'utf8')).toBe('kept')
    expect(format.exitCode).toBe(EXIT.error)
  })
})

describe('plimsoll components export', () => {
  it('writes the components of an SBOM as CSV, with no formula in it', async () => {
    const { stdout } = await runPlimsoll(environment, ['components', 'export', '--sbom', sbom])

    expect(stdout).toMatch(/^id,packageName,version,/)
    expect(stdout).toMatch(/\r\n[0-9a-f-]{36},'=danger,1\.0,,pkg:generic\/danger@1\.0,/)
  })
})

describe('plimsoll components source-files', () => {
  const upload = (text: string, component: string, ...more: string[]) => {
    const file = givenFile('compiled.txt', text)
    const args = ['components', 'source-files', file, '--sbom', sbom, '--component', component]
    return runPlimsoll(environment, [...args, ...more])
  }

  it('uploads the list of a component named as the SBOM does', async () => {
    const list = 'net/core/dev.c\ninclude/net/sock.h\n'
    const table = await upload(list, 'linux')
    const json = await upload(list, 'linux@6.6.21', '--json')

    expect(table.stdout).toBe('linux: 1 source file, 1 other line\n')
    expect(JSON.parse(json.stdout)).toMatchObject({ components: [{ fileCount: 1 }] })
  })

  it.each([
    ['net/core/dev.o', 'linux', 'Line 1 names an object file'],
    ['net/core/dev.c', 'windows', 'declares no component "windows"'],
  ])('fails for the list %j of %s', async (list, component, message) => {
    const { exitCode, stderr } = await upload(list, component)

    expect(exitCode).toBe(EXIT.error)
    expect(stderr).toContain(message)
  })
})

describe('plimsoll reports', () => {
  it('writes a page to print of a version, a vulnerability and the decisions of a period', async () => {
    const output = givenFile('report.html', 'what was there before')
    const args = ['reports', 'version', ...VERSION, '--output', output]
    const version = await runPlimsoll(environment, args)
    const nowhere = await runPlimsoll(environment, ['reports', 'vulnerability', 'CVE-2026-9999'])
    const decisions = await runPlimsoll(environment, ['reports', 'decisions', '--from', '7d'])

    expect(version).toMatchObject({ exitCode: EXIT.ok, stdout: '', stderr: `Wrote ${output}.\n` })
    expect(readFileSync(output, 'utf8')).toMatch(/^<!doctype html>[^]*gateway 1\.0[^]*<\/html>\n$/)
    expect(nowhere.stdout).toContain('No source that was read knows this id')
    expect(decisions.stdout).toContain('Nothing was decided in this period')
    for (const subject of [
      ['vulnerability', 'CVE-2026-9999'],
      ['version', ...VERSION],
    ]) {
      const past = await runPlimsoll(environment, [
        'reports',
        ...subject,
        '--as-of',
        '2020-01-01T00:00:00Z',
      ])
      expect(past.stdout).toContain('As of 1 Jan 2020, 00:00 UTC')
    }
  })
})
