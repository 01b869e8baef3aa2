/** An upload that never ends, for tests that kill it half-way: writes one piece to the folder given and says so. */
import { openFileBlobStore } from '../src/platform/blobs/file-blob-store.ts'

const [directory = ''] = process.argv.slice(2)

async function* endless(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('half a file')
  process.stdout.write('written\n')
  await new Promise((resolve) => setTimeout(resolve, 3_600_000))
}

await openFileBlobStore(directory).put('sboms/interrupted', endless())
