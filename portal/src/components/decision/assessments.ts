/** The words of decisions, as the interface has them. */
import type { BodyOf } from '@plimsoll/api-client'

export type Assess = BodyOf<'assessVulnerabilityFinding'>

export type Assessment = Assess['assessment']

export const ASSESSMENTS: readonly {
  value: Assessment
  text: string
  tone: 'ok' | 'warn' | 'danger' | 'accent' | 'muted'
}[] = [
  { value: 'Exploitable', text: 'Exploitable', tone: 'danger' },
  { value: 'NotAffected', text: 'Not affected', tone: 'ok' },
  { value: 'Resolved', text: 'Resolved', tone: 'ok' },
  { value: 'FalsePositive', text: 'False positive', tone: 'ok' },
  { value: 'InTriage', text: 'In triage', tone: 'accent' },
  { value: 'NotAssessed', text: 'Not assessed', tone: 'warn' },
]

export function describeAssessment(value: string): string {
  return ASSESSMENTS.find((one) => one.value === value)?.text ?? value
}

export const JUSTIFICATIONS: readonly {
  value: NonNullable<Assess['justification']>
  text: string
}[] = [
  { value: 'component_not_present', text: 'Component is not present' },
  { value: 'vulnerable_code_not_present', text: 'Vulnerable code is not built in' },
  { value: 'vulnerable_code_not_in_execute_path', text: 'Vulnerable code is never executed' },
  {
    value: 'vulnerable_code_cannot_be_controlled_by_adversary',
    text: 'An attacker cannot control it',
  },
  { value: 'inline_mitigations_already_exist', text: 'Mitigations are built in' },
  { value: 'requires_configuration', text: 'Needs another configuration' },
  { value: 'requires_dependency', text: 'Needs a dependency that is missing' },
  { value: 'requires_environment', text: 'Needs another environment' },
  { value: 'protected_by_compiler', text: 'Protected by the compiler' },
  { value: 'protected_at_runtime', text: 'Protected at run time' },
  { value: 'protected_at_perimeter', text: 'Protected at the perimeter' },
  { value: 'protected_by_mitigating_control', text: 'Protected by another control' },
]

export const RESPONSES: readonly { value: NonNullable<Assess['response']>; text: string }[] = [
  { value: 'update', text: 'Update' },
  { value: 'workaround_available', text: 'Workaround available' },
  { value: 'rollback', text: 'Roll back' },
  { value: 'will_not_fix', text: 'Will not fix' },
  { value: 'can_not_fix', text: 'Cannot fix' },
]

/** Whether the interface takes a justification with it. */
export function takesJustification(assessment: Assessment | undefined): boolean {
  return assessment === 'NotAffected' || assessment === 'FalsePositive'
}
