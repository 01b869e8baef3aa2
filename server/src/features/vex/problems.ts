import type { ProblemPages } from '../../platform/errors.ts'

export const vexProblems: ProblemPages = {
  'vex-invalid': {
    title: 'This is no VEX document, or one that states nothing',
    advice:
      'Send an OpenVEX 0.2, CycloneDX 1.4 to 1.7 (JSON) or CSAF 2.0 document with statements.',
  },
  'vex-outdated': {
    title: 'A newer version of the document is known',
    advice: 'Import the newest version, or delete the document first.',
  },
  'vex-in-sbom': {
    title: 'The statements stand in an SBOM',
    advice: 'Delete that SBOM, or assess the findings: a newer assessment by a person applies.',
  },
  'vex-nothing-stated': {
    title: 'There is nothing to state',
    advice: 'Assess findings of the firmware version, or import VEX about it, first.',
  },
  'vex-document-not-found': {
    title: 'No such VEX document',
    advice: 'GET …/firmware-versions/{id}/vex-documents lists them.',
  },
}
