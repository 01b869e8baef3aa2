/** Tools that leave something for people to decide; nothing is decided by them. */
import { z } from 'zod'
import { ASSESSMENT, VEX_JUSTIFICATION, VEX_RESPONSE } from '../../../api-client/src/index.ts'
import { findFindingId } from '../commands/findings-show.ts'
import { defineTool, dropUndefined, VERSION } from './tool.ts'

export const PROPOSING_TOOLS = [
  defineTool(
    'propose_decision',
    {
      title: 'Propose a decision',
      description:
        'Leave a proposal of what to decide about a finding, with reasons and evidence. A person takes, changes or refuses it; nothing is decided. A later proposal about the finding replaces yours.',
      input: {
        finding: z.string().describe('Its id; or a CVE id together with version'),
        version: VERSION.optional(),
        component: z
          .string()
          .optional()
          .describe('Where several components have the vulnerability'),
        assessment: z.enum(ASSESSMENT),
        justification: z
          .enum(VEX_JUSTIFICATION)
          .optional()
          .describe('Only with NotAffected or FalsePositive'),
        detail: z
          .string()
          .max(10_000)
          .optional()
          .describe('The text of the decision, as VEX shows it'),
        response: z.enum(VEX_RESPONSE).optional(),
        reason: z.string().min(1).max(4000).describe('Why, for the person who decides'),
        evidence: z
          .array(
            z.strictObject({
              text: z.string().min(1).max(1000).describe('What was looked at, and what it says'),
              link: z.string().max(1000).optional().describe('Where: http or https'),
            }),
          )
          .max(20)
          .optional(),
      },
    },
    async (session, { finding, version, component, evidence, ...proposed }) => {
      const named = { finding, version }
      const findingId = await findFindingId(session, named, dropUndefined({ component }))
      const { client, workspaceId } = session
      return client.post('/workspaces/{workspaceId}/vulnerability-findings/{findingId}/proposals', {
        params: { workspaceId, findingId },
        body: {
          ...dropUndefined(proposed),
          assessment: proposed.assessment,
          reason: proposed.reason,
          ...(evidence && {
            evidence: evidence.map((one) => ({
              text: one.text,
              ...dropUndefined({ link: one.link }),
            })),
          }),
        },
      })
    },
  ),
]
