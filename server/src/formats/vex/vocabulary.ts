/** The words of the standards for what is known about a vulnerability in a product, in their own spelling. */

/** OpenVEX 0.2.0, "Status Justifications"; CSAF 2.0, section 3.2.3.5.4 (flags), has the same five. */
export const OPENVEX_JUSTIFICATIONS = [
  'component_not_present',
  'vulnerable_code_not_present',
  'vulnerable_code_not_in_execute_path',
  'vulnerable_code_cannot_be_controlled_by_adversary',
  'inline_mitigations_already_exist',
] as const
export type OpenVexJustification = (typeof OPENVEX_JUSTIFICATIONS)[number]

/** CycloneDX 1.4 to 1.7, `impactAnalysisJustification`. */
export const CYCLONEDX_JUSTIFICATIONS = [
  'code_not_present',
  'code_not_reachable',
  'requires_configuration',
  'requires_dependency',
  'requires_environment',
  'protected_by_compiler',
  'protected_at_runtime',
  'protected_at_perimeter',
  'protected_by_mitigating_control',
] as const
export type CycloneDxJustification = (typeof CYCLONEDX_JUSTIFICATIONS)[number]

export type VexJustification = OpenVexJustification | CycloneDxJustification

/** CycloneDX 1.4 to 1.7, `analysis.response`. */
export const VEX_RESPONSES = [
  'can_not_fix',
  'will_not_fix',
  'update',
  'rollback',
  'workaround_available',
] as const
export type VexResponse = (typeof VEX_RESPONSES)[number]

export type VexAssessment =
  | 'InTriage'
  | 'Exploitable'
  | 'NotAffected'
  | 'FalsePositive'
  | 'Resolved'

export const OPENVEX_STATUSES: ReadonlyMap<unknown, VexAssessment> = new Map<
  unknown,
  VexAssessment
>([
  ['not_affected', 'NotAffected'],
  ['affected', 'Exploitable'],
  ['fixed', 'Resolved'],
  ['under_investigation', 'InTriage'],
])

export const CYCLONEDX_STATES: ReadonlyMap<unknown, VexAssessment> = new Map<
  unknown,
  VexAssessment
>([
  ['resolved', 'Resolved'],
  ['resolved_with_pedigree', 'Resolved'],
  ['exploitable', 'Exploitable'],
  ['in_triage', 'InTriage'],
  ['false_positive', 'FalsePositive'],
  ['not_affected', 'NotAffected'],
])

/** CSAF 2.0, section 3.2.3.9: `recommended` says which version to use, nothing about the vulnerability. */
export const CSAF_STATUSES: ReadonlyMap<string, VexAssessment> = new Map<string, VexAssessment>([
  ['known_not_affected', 'NotAffected'],
  ['known_affected', 'Exploitable'],
  ['first_affected', 'Exploitable'],
  ['last_affected', 'Exploitable'],
  ['fixed', 'Resolved'],
  ['first_fixed', 'Resolved'],
  ['under_investigation', 'InTriage'],
])

/** CSAF 2.0, section 3.2.3.12.1. */
export const CSAF_REMEDIATIONS: ReadonlyMap<unknown, VexResponse> = new Map<unknown, VexResponse>([
  ['vendor_fix', 'update'],
  ['workaround', 'workaround_available'],
  ['mitigation', 'workaround_available'],
  ['no_fix_planned', 'will_not_fix'],
  ['none_available', 'can_not_fix'],
])

/** SPDX 3.0.1, model Security: the relationship classes of VEX. */
export const SPDX3_VEX_CLASSES: ReadonlyMap<unknown, VexAssessment> = new Map<
  unknown,
  VexAssessment
>([
  ['security_VexNotAffectedVulnAssessmentRelationship', 'NotAffected'],
  ['security_VexAffectedVulnAssessmentRelationship', 'Exploitable'],
  ['security_VexFixedVulnAssessmentRelationship', 'Resolved'],
  ['security_VexUnderInvestigationVulnAssessmentRelationship', 'InTriage'],
])

/** SPDX 3.0.1, Security/Vocabularies/VexJustificationType: OpenVEX's five, written otherwise. */
export const SPDX3_JUSTIFICATIONS: ReadonlyMap<unknown, OpenVexJustification> = new Map<
  unknown,
  OpenVexJustification
>([
  ['componentNotPresent', 'component_not_present'],
  ['vulnerableCodeNotPresent', 'vulnerable_code_not_present'],
  ['vulnerableCodeNotInExecutePath', 'vulnerable_code_not_in_execute_path'],
  [
    'vulnerableCodeCannotBeControlledByAdversary',
    'vulnerable_code_cannot_be_controlled_by_adversary',
  ],
  ['inlineMitigationsAlreadyExist', 'inline_mitigations_already_exist'],
])

/** The nearest words, for standards that lack the original one. */
export const AS_OPENVEX: Readonly<Record<CycloneDxJustification, OpenVexJustification>> = {
  code_not_present: 'vulnerable_code_not_present',
  code_not_reachable: 'vulnerable_code_not_in_execute_path',
  requires_configuration: 'vulnerable_code_cannot_be_controlled_by_adversary',
  requires_dependency: 'component_not_present',
  requires_environment: 'vulnerable_code_cannot_be_controlled_by_adversary',
  protected_by_compiler: 'inline_mitigations_already_exist',
  protected_at_runtime: 'inline_mitigations_already_exist',
  protected_at_perimeter: 'inline_mitigations_already_exist',
  protected_by_mitigating_control: 'inline_mitigations_already_exist',
}
export const AS_CYCLONEDX: Readonly<Record<OpenVexJustification, CycloneDxJustification>> = {
  component_not_present: 'code_not_present',
  vulnerable_code_not_present: 'code_not_present',
  vulnerable_code_not_in_execute_path: 'code_not_reachable',
  vulnerable_code_cannot_be_controlled_by_adversary: 'requires_environment',
  inline_mitigations_already_exist: 'protected_by_mitigating_control',
}

export function isOpenVexJustification(text: unknown): text is OpenVexJustification {
  return OPENVEX_JUSTIFICATIONS.some((word) => word === text)
}

export function isCycloneDxJustification(text: unknown): text is CycloneDxJustification {
  return CYCLONEDX_JUSTIFICATIONS.some((word) => word === text)
}

export function isVexResponse(text: unknown): text is VexResponse {
  return VEX_RESPONSES.some((word) => word === text)
}
