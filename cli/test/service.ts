/** The service on a port of its own, and the client as people run it: a process of its own. */
import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startTestApp, type TestWorkspace } from '../../server/test/app.ts'

const MAIN = resolve(import.meta.dirname, '../src/main.ts')

export interface Outcome {
  exitCode: number
  stdout: string
  stderr: string
}

export type Environment = Record<string, string>

/** Of the environment of the test run, the client sees nothing but what it is given. */
export function plimsoll(environment: Environment, args: readonly string[]): Promise<Outcome> {
  return new Promise((done) => {
    const env = { PATH: process.env['PATH'] ?? '', ...environment }
    execFile(process.execPath, [MAIN, ...args], { env }, (error, stdout, stderr) => {
      const exitCode = typeof error?.code === 'number' ? error.code : error ? -1 : 0
      done({ exitCode, stdout, stderr })
    })
  })
}

export async function startService(
  { withWorker }: { withWorker: boolean },
  overrides: Parameters<typeof startTestApp>[0] = {},
) {
  const service = await startTestApp(overrides)
  const url = await service.app.listen({ port: 0, host: '127.0.0.1' })
  if (withWorker) await service.startWorker()
  const environmentOf = ({ apiKey }: TestWorkspace): Environment => ({
    PLIMSOLL_URL: url,
    PLIMSOLL_API_KEY: apiKey,
  })
  return { ...service, url, environmentOf }
}

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-cli-'))

export function givenFile(name: string, content: string): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

export function givenSbom(name: string, components: readonly object[]): string {
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    // Equal documents are one SBOM to the service.
    serialNumber: `urn:uuid:${crypto.randomUUID()}`,
    components: components.map((component) => ({ type: 'library', ...component })),
  }
  return givenFile(name, JSON.stringify(document))
}
