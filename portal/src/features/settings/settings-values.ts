/** What the form of a workspace's settings holds: all but what the service answers beside it. */
import type { WorkspaceSettings } from '@plimsoll/api-client'

export type SettingsValues = Omit<WorkspaceSettings, 'id' | 'updatedAt'>

export const readSettings = ({
  id: _id,
  updatedAt: _at,
  ...values
}: WorkspaceSettings): SettingsValues => values
