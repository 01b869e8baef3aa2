/** Commands whose first argument is a firmware version, by its id or as slug@name. */
import type { Command } from 'commander'
import { findStatedVersionId } from './firmware-version.ts'
import { type ConnectionOptions, openSession } from './session.ts'

export const withStatedVersion = (command: Command) =>
  command.argument('<version>', 'id of the firmware version, or slug@name')

/** `params` name the version in paths of the API. */
export async function openVersion(version: string, options: ConnectionOptions) {
  const session = await openSession(options)
  const firmwareVersionId = await findStatedVersionId(session, version)
  const { client, workspaceId } = session
  return { session, client, params: { workspaceId, firmwareVersionId } }
}
