/** Teams, the rules that give findings to members and teams, and the owners in answers. */
import { type Static, Type } from 'typebox'
import { ReadOnly, Replacing } from '../../platform/http/read-only.ts'
import { Exactly, ExactShape, Name, Nullable, Shape } from '../../platform/http/schemas.ts'
import { SeveritySchema } from '../advisories/index.ts'
import { ColleagueSchema } from '../discussions/index.ts'

const MOST_TEAMS = 100
const MOST_RULES = 100
const MOST_PATTERNS = 20
const MOST_MEMBERS = 200
const MOST_ASKED = 100

const Id = Type.String({ format: 'uuid' })

const Patterns = (what: string, example: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
    maxItems: MOST_PATTERNS,
    description: `${what} One of them must fit the whole text; * stands for any text, and case does not matter. Empty: any`,
    examples: [[example]],
  })

const conditions = {
  components: Patterns('Names of components, or of the source they are built from.', 'openssl*'),
  purls: Patterns('Package URLs that SBOMs declare.', 'pkg:npm/*'),
  files: Patterns('Names of the uploaded SBOM files that declare the component.', 'bootloader*'),
}

const OwnerReference = Shape('OwnerReference', {
  type: Type.Enum(['Member', 'Team']),
  id: Type.String(),
  name: Type.String(),
})

export const OwnerShape = Shape('Owner', {
  type: Type.Enum(['Member', 'Team']),
  id: Type.String({ description: 'Of the member (`subjectId`) or of the team' }),
  name: Type.String({ description: 'The address of the member, or the name of the team' }),
  ruleId: Nullable(Type.String(), {
    description: 'The rule that gives it; null: somebody assigned the vulnerability',
  }),
})

const conditionsOfCommand = {
  components: Type.Optional(conditions.components),
  purls: Type.Optional(conditions.purls),
  files: Type.Optional(conditions.files),
}

const OwnersCommand = Exactly(
  {
    teams: Type.Array(
      ExactShape('StatedOwnerTeam', {
        id: Type.Optional(
          Type.String({
            description: 'Of a team that there is; without it, the team of this name, or a new one',
          }),
        ),
        name: Name,
        memberIds: Type.Array(Id, {
          minItems: 1,
          maxItems: MOST_MEMBERS,
          description: '`subjectId` of members',
        }),
        members: ReadOnly,
      }),
      { maxItems: MOST_TEAMS },
    ),
    rules: Type.Array(
      ExactShape('StatedOwnerRule', {
        id: Type.Optional(
          Type.String({ description: 'Of a rule that there is; without it, a new one' }),
        ),
        ...conditionsOfCommand,
        firmwareIds: Type.Optional(
          Type.Array(Id, { maxItems: 100, description: 'Empty: in any firmware' }),
        ),
        memberId: Type.Optional(Nullable(Id, { description: 'The member who gets the findings' })),
        team: Type.Optional(Nullable(Name, { description: 'The name of the team that gets them' })),
        firmwares: ReadOnly,
        owner: ReadOnly,
        vacancy: ReadOnly,
      }),
      { maxItems: MOST_RULES, description: 'The first rule that fits gives the owner' },
    ),
  },
  {
    examples: [
      {
        teams: [],
        rules: [
          {
            components: ['openssl*', 'libssl*'],
            memberId: '0198c0de-0000-7000-8000-000000000001',
          },
        ],
      },
    ],
  },
)
export type OwnersCommand = Static<typeof OwnersCommand>

export const OwnerRules = Shape('OwnerRules', {
  teams: Type.Array(
    Shape('OwnerTeam', {
      id: Type.String(),
      name: Name,
      memberIds: Type.Array(Type.String()),
      members: Type.Array(ColleagueSchema, {
        description: 'Who left the workspace left its teams',
      }),
    }),
  ),
  rules: Type.Array(
    Shape('OwnerRule', {
      id: Type.String(),
      ...conditions,
      firmwareIds: Type.Array(Type.String()),
      firmwares: Type.Array(
        Shape('FirmwareOfRule', {
          id: Type.String(),
          name: Nullable(Type.String(), { description: 'null: it was deleted' }),
        }),
      ),
      memberId: Nullable(Type.String()),
      team: Nullable(Name),
      owner: OwnerReference,
      vacancy: Nullable(Type.String(), {
        description:
          'Why the rule gives nothing now, such as that its member left: findings fall to the next rule that fits. null: it holds',
      }),
    }),
  ),
})
export type OwnerRules = Static<typeof OwnerRules>

export const ReplaceOwnerRulesCommand = Replacing(OwnersCommand, OwnerRules)

const Counted = Nullable(OwnerReference, { description: 'null: nobody' })

export const OwnerCounts = Shape('OwnerCounts', {
  owners: Type.Array(
    Shape('OwnerCount', {
      owner: Counted,
      activeCount: Type.Integer({
        description:
          'Rows of the list of active findings, with the filter by this owner: a member also has what their teams have',
      }),
      countsBySeverity: Type.Array(
        Type.Object({ severity: SeveritySchema, count: Type.Integer() }),
      ),
    }),
  ),
})

export const OwnersPreview = Shape('OwnersPreview', {
  owners: Type.Array(
    Shape('OwnerChange', {
      owner: Counted,
      now: Type.Integer({ description: 'Active rows of the list that they own' }),
      after: Type.Integer({ description: 'The same with the rules of the body' }),
    }),
  ),
})

/** In filters of findings. */
export const ownerFilterFields = {
  owners: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      maxItems: MOST_ASKED,
      description:
        'Whom the findings belong to: `me`, `none`, the id of a member (`subjectId`), or id or name of a team. A member has what was assigned to them, what rules give to them, and what rules give to their teams. Owners are those of now, also for a past instant',
    }),
  ),
}

/** In rows of lists. */
export const ownerFields = {
  owners: Type.Array(OwnerShape, {
    description:
      'Whom findings of the row belong to now, each once: who is assigned, else what the first rule that fits says. Versions of a row may have different owners',
  }),
  isPartlyUnowned: Type.Boolean({
    description: 'Whether a finding of the row has no owner',
  }),
}
