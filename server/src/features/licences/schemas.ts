import { Type } from 'typebox'
import { LICENCE_OUTCOMES } from '../../formats/licences/licence-rules.ts'
import { ReadOnly, Replacing } from '../../platform/http/read-only.ts'
import { Exactly, ExactShape, Nullable, OneOf, Shape } from '../../platform/http/schemas.ts'
import { FirmwareVersionReference } from '../firmware/index.ts'

const Outcome = OneOf('LicenceOutcome', LICENCE_OUTCOMES)

const Licences = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
  maxItems: 500,
  description: 'Each is one licence as SPDX writes it, without AND and OR',
})
const FailOn = Type.Array(Outcome, {
  uniqueItems: true,
  description:
    'What may not ship; `notListed`: there is a list of what is allowed, and it is not in it',
})

const members = { allow: Licences, deny: Licences, review: Licences, failOn: FailOn }
const LicenceRuleSet = ExactShape('LicenceRuleSet', members)

const example = {
  allow: ['MIT', 'Apache-2.0', 'BSD-3-Clause'],
  deny: ['AGPL-3.0-or-later'],
  review: ['LGPL-2.1-or-later'],
  failOn: ['denied', 'unknown'],
}

export const WorkspaceLicenceRules = Shape('WorkspaceLicenceRules', {
  rules: Nullable(LicenceRuleSet, { description: 'null: no licence is judged' }),
})
export const ReplaceWorkspaceRulesCommand = Exactly(
  { rules: Nullable(LicenceRuleSet) },
  { examples: [{ rules: example }, { rules: null }] },
)

export const FirmwareLicenceRules = Shape('FirmwareLicenceRules', {
  ownRules: Nullable(LicenceRuleSet, {
    description: 'They hold in place of those of the workspace; null: those of the workspace hold',
  }),
  workspaceRules: Nullable(LicenceRuleSet),
})
export const ReplaceFirmwareRulesCommand = Replacing(
  Exactly(
    { ownRules: Nullable(LicenceRuleSet), workspaceRules: ReadOnly },
    { examples: [{ ownRules: example }, { ownRules: null }] },
  ),
  FirmwareLicenceRules,
)

export const LicenceCounts = Shape(
  'LicenceCounts',
  Object.fromEntries(LICENCE_OUTCOMES.map((outcome) => [outcome, Type.Integer()])) as Record<
    (typeof LICENCE_OUTCOMES)[number],
    ReturnType<typeof Type.Integer>
  >,
)

const JudgedLicence = Shape('JudgedLicence', {
  licence: Nullable(Type.String(), { description: 'As it is stated; null: none is' }),
  outcome: Nullable(Outcome, { description: 'null: there are no rules' }),
  chosen: Type.Array(Type.String(), {
    description: 'The licences that the outcome is of, where an OR leaves a choice',
  }),
  reasons: Type.Array(Type.String()),
  componentCount: Type.Integer(),
  components: Type.Array(Type.String(), { description: 'The first of them, at most 20' }),
})

export const VersionLicences = Shape('VersionLicences', {
  firmwareVersion: FirmwareVersionReference,
  rulesOf: Nullable(Type.Enum(['Workspace', 'Firmware']), {
    description: 'Whose rules hold; null: nobody stated any, so that nothing is judged',
  }),
  failOn: FailOn,
  failingCount: Nullable(Type.Integer(), {
    description: 'Components that may not ship; null: there are no rules',
  }),
  componentCount: Type.Integer({
    description: 'Components that ship; those for building and for tests are left out',
  }),
  counts: Nullable(LicenceCounts, { description: 'null: there are no rules' }),
  licenceCount: Type.Integer({ description: 'Of what is stated, each once' }),
  licences: Type.Array(JudgedLicence, { description: 'The worst first, at most 1,000' }),
})

export const LicenceChange = Shape(
  'LicenceChange',
  { brought: LicenceCounts, left: LicenceCounts },
  {
    description:
      'Components by name whose licence is judged so in the version and not in the base (`brought`), or the other way round (`left`). Both are judged by the rules that hold for the version now',
  },
)
