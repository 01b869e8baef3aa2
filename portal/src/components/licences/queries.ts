import type { FirmwareLicenceRules, LicenceRuleSet, WithEntityTag } from '@plimsoll/api-client'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'

export const licencesQuery = (workspaceId: string, firmwareVersionId: string) =>
  queryOptions({
    queryKey: ['licences', workspaceId, 'version', firmwareVersionId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/licences', {
        params: { workspaceId, firmwareVersionId },
      }),
  })

/** The rules of a firmware, or of the workspace, as they were read. */
export interface FoundRules {
  rules: LicenceRuleSet | null
  /** Those of the workspace, which hold where a firmware has none. */
  inherited?: LicenceRuleSet | null
  firmwareId: string | false
  /** What the service answered: a change is refused if it is something else by then. */
  answer: WithEntityTag
}

const OF_WORKSPACE = '/workspaces/{workspaceId}/licence-rules'
const OF_FIRMWARE = '/workspaces/{workspaceId}/firmwares/{firmwareId}/licence-rules'

/** `firmwareId` false: of the workspace. */
export const rulesQuery = (workspaceId: string, firmwareId: string | false) =>
  queryOptions({
    queryKey: ['licences', workspaceId, 'rules', firmwareId],
    queryFn: async (): Promise<FoundRules> => {
      if (firmwareId === false) {
        const answer = await api.get(OF_WORKSPACE, { params: { workspaceId } })
        return { rules: answer.rules, firmwareId, answer }
      }
      return toFound(
        firmwareId,
        await api.get(OF_FIRMWARE, { params: { workspaceId, firmwareId } }),
      )
    },
    // Answers within are kept as they came, too: see query-client.ts.
    structuralSharing: false,
  })

const toFound = (firmwareId: string, answer: WithEntityTag<FirmwareLicenceRules>): FoundRules => ({
  rules: answer.ownRules,
  inherited: answer.workspaceRules,
  firmwareId,
  answer,
})

export async function replaceRules(
  workspaceId: string,
  { firmwareId, answer: ifStill }: FoundRules,
  rules: LicenceRuleSet | null,
): Promise<FoundRules> {
  if (firmwareId === false) {
    const params = { workspaceId }
    const answer = await api.put(OF_WORKSPACE, { params, body: { rules }, ifStill })
    return { rules: answer.rules, firmwareId, answer }
  }
  const params = { workspaceId, firmwareId }
  return toFound(
    firmwareId,
    await api.put(OF_FIRMWARE, { params, body: { ownRules: rules }, ifStill }),
  )
}
