/** The stored files that rows name, and that a backup therefore holds. */
import { listArtifactFiles, listPartFiles } from '../features/artifacts/index.ts'
import { listImportFiles } from '../features/feeds/index.ts'
import { listSbomFiles } from '../features/sboms/index.ts'
import { listWorkspaceIds } from '../features/workspaces/index.ts'
import { TOKEN_FILE } from '../claim-files.ts'
import type { Db } from '../platform/db/connect.ts'

export interface NamedFile {
  key: string
  /** undefined: no row states it. */
  sha256: string | undefined
  /** false: a service that never ran has not made it. */
  isRequired: boolean
}

/** A workspace at a time. A backup before an upgrade reads the schema of the release before: a newer table may not be there yet. */
export async function* listNamedFiles(db: Db): AsyncGenerator<NamedFile> {
  yield { key: TOKEN_FILE, sha256: undefined, isRequired: false }
  for (const workspaceId of await listWorkspaceIds(db)) {
    for (const { key, sha256 } of [
      ...(await listSbomFiles(db, workspaceId)),
      ...(await listArtifactFiles(db, workspaceId)),
    ])
      yield { key, sha256, isRequired: true }
    for (const { keys } of await listPartFiles(db, workspaceId)) yield* keys.map(unmeasured)
    yield* (await listImportFiles(db, workspaceId)).map(unmeasured)
  }
}

function unmeasured(key: string): NamedFile {
  return { key, sha256: undefined, isRequired: true }
}
