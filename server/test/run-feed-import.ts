/** Runs an import in its own process, for tests that kill it. */
import { importFeeds } from '../src/features/advisories/index.ts'
import { openImportContext } from './given-feeds.ts'

const [, , connectionString = '', path = ''] = process.argv
const { ctx, close } = await openImportContext(connectionString)
await importFeeds(ctx, { path, onProgress: (text) => process.stdout.write(`${text}\n`) })
await close()
