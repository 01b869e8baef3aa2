/** An upload that never ends, for tests that kill it: writes one chunk to the given folder and reports it. */
import { openFileBlobStore } from '../src/platform/blobs/file-blob-store.ts'

const [directory = ''] = process.argv.slice(2)

async function* endless(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('half a file')
  process.stdout.write('written\n')
  await new Promise((resolve) => setTimeout(resolve, 3_600_000))
}

await openFileBlobStore(directory).put('sboms/interrupted', endless())
