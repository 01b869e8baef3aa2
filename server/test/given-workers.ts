/** Workers as processes of their own, to be killed. */
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestApp } from './app.ts'
import { closeAtEndOfFile } from './end-of-file.ts'
import { endProcess, freePort, startServiceProcess } from './service-process.ts'
import { startSmtpServer } from './smtp-server.ts'

/** Workers that send through one mail server, and what kills them all. */
export async function givenWorkers(test: TestApp) {
  const smtp = await startSmtpServer()
  const workers: ChildProcess[] = []
  const end = () => Promise.all(workers.map((child) => endProcess(child, 'SIGKILL')))
  closeAtEndOfFile(end)
  const dataDir = mkdtempSync(join(tmpdir(), 'plimsoll-test-'))
  const startWorker = async () => {
    const env = {
      DATABASE_URL: test.connectionString,
      PLIMSOLL_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    }
    const ports = { port: await freePort(), managementPort: await freePort() }
    const settings = { dataDir, ...ports, env, args: ['--roles', 'worker'] }
    return startServiceProcess(settings, (child) => workers.push(child))
  }
  return { smtp, startWorker, end, dataDir }
}
