/** Starts the embedded server on the given folder and stays, for tests that kill it or run it as another user. */
import { startEmbeddedPostgres } from '../src/platform/db/embedded-postgres.ts'

const [dataDir = ''] = process.argv.slice(2)
const server = await startEmbeddedPostgres({ dataDir, log: () => undefined, lockWaitSeconds: 5 })
process.on('SIGTERM', () => {
  void server.stop().then(() => process.exit(0))
})
// Whoever reads this may end the process at once.
process.stdout.write(
  `${JSON.stringify({ connectionString: server.connectionString, pid: server.pid() })}\n`,
)
