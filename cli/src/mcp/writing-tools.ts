/** Tools that change something; only served on request. */
import { ASSESSMENT, VEX_JUSTIFICATION, VEX_RESPONSE } from '../../../api-client/src/index.ts'
import { z } from 'zod'
import { findFindingId } from '../commands/findings-show.ts'
import { findMember } from '../commands/member.ts'
import { usageError } from '../failure.ts'
import { DEPLOYMENT, findDeployment } from '../roll-out.ts'
import type { Session } from '../session.ts'
import { dropUndefined, defineTool, VERSION } from './tool.ts'

const DECISION = {
  finding: z.string().describe('Its id; or a CVE id together with version'),
  version: VERSION.optional(),
  component: z.string().optional().describe('Where several components have the vulnerability'),
  assessment: z.enum(ASSESSMENT).optional(),
  justification: z
    .enum(VEX_JUSTIFICATION)
    .optional()
    .describe('Only with NotAffected or FalsePositive'),
  detail: z.string().max(10_000).optional().describe('The reason, for people'),
  response: z.enum(VEX_RESPONSE).optional(),
  ignored: z.boolean().optional().describe('Ignore the finding, or stop ignoring it'),
  acceptance: z
    .strictObject({
      reason: z.string().max(10_000).optional(),
      owner: z.string().optional().describe('Address or id of the member who looks after it'),
      until: z.iso.datetime().optional().describe('When it ends'),
      conditions: z
        .strictObject({
          knownExploited: z.boolean().optional(),
          epssAbove: z.number().min(0).max(1).optional(),
          devicesAbove: z.int().min(0).optional(),
          fixAvailable: z.boolean().optional(),
        })
        .optional()
        .describe('What ends it sooner; knownExploited is on unless it is false'),
    })
    .optional()
    .describe('Only with ignored: why the risk is accepted, by whom, and until when'),
}

export const WRITING_TOOLS = [
  defineTool(
    'decide_finding',
    {
      title: 'Decide a finding',
      description:
        'Record an assessment of a finding for VEX, or ignore it. The audit log names the API key. Replaces the former assessment.',
      input: DECISION,
    },
    decideFinding,
  ),
  defineTool(
    'pause_deployment',
    {
      title: 'Pause a deployment',
      description: 'Pause a roll-out: no further device begins; devices that have begun continue.',
      input: {
        deployment: z
          .string()
          .optional()
          .describe('Id or name; without it the active one of the cohort'),
        cohort: z.string().optional().describe('Name or id of the cohort'),
      },
    },
    async (session, { deployment, cohort }) => {
      const params = await findDeployment(session, deployment, cohort)
      return session.client.post(`${DEPLOYMENT}/pause`, { params })
    },
  ),
]

type Decision = z.infer<z.ZodObject<typeof DECISION>>

async function decideFinding(session: Session, decision: Decision) {
  const { finding, version, component, ignored, acceptance, assessment, ...reasons } = decision
  if (assessment === undefined && ignored === undefined)
    throw usageError('Say what is decided: assessment, ignored, or both.')
  if (assessment === undefined && Object.keys(dropUndefined(reasons)).length > 0)
    throw usageError('justification, detail and response belong to an assessment.')
  if (acceptance !== undefined && ignored !== true)
    throw usageError('acceptance belongs to ignored: true.')
  const terms = acceptance && { acceptance: await readAcceptance(session, acceptance) }
  const name = { finding, version }
  const findingId = await findFindingId(session, name, dropUndefined({ component }))
  const { client, workspaceId } = session
  const params = { workspaceId, findingId }
  const path = '/workspaces/{workspaceId}/vulnerability-findings/{findingId}'
  if (assessment !== undefined)
    await client.post(`${path}/assessments`, {
      params,
      body: { assessment, ...dropUndefined(reasons) },
    })
  if (ignored !== undefined)
    await client.put(`${path}/ignore`, { params, body: { ignored, ...terms } })
  return client.get(path, { params })
}

async function readAcceptance(
  session: Session,
  { owner, conditions, ...said }: NonNullable<Decision['acceptance']>,
) {
  const member = owner === undefined ? undefined : await findMember(session, owner)
  return {
    ...dropUndefined(said),
    ...(member && { ownerId: member.id }),
    ...(conditions && { conditions: dropUndefined(conditions) }),
  }
}
