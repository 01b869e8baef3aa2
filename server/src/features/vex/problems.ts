import type { ProblemPages } from '../../platform/errors.ts'

export const vexProblems: ProblemPages = {
  'vex-invalid': {
    title: 'The body is not a VEX document, or has no statements',
    advice:
      'Send an OpenVEX 0.2, CycloneDX 1.4 to 1.7 (JSON) or CSAF 2.0 document with statements.',
  },
  'vex-outdated': {
    title: 'A newer version of the document is already imported',
    advice: 'Import the newest version, or delete the document first.',
  },
  'vex-in-sbom': {
    title: 'The statements are part of an SBOM',
    advice: 'Delete that SBOM, or assess the findings: what a person decides outweighs statements.',
  },
  'vex-of-supplier': {
    title: "The document is of a supplier's feed",
    advice:
      'Delete the feed (DELETE …/supplier-feeds/{id}), or assess the findings: what a person decides outweighs statements.',
  },
  'vex-nothing-stated': {
    title: 'There is nothing to export',
    advice: 'First assess findings of the firmware version, or import VEX about it.',
  },
  'vex-statement-not-found': {
    title: 'No such VEX statement about the finding',
    advice: 'The finding lists statements that disagree with its assessment as `disagreements`.',
  },
  'vex-document-not-found': {
    title: 'No such VEX document',
    advice: 'GET …/firmware-versions/{id}/vex-documents lists them.',
  },
}
