import type { ProblemPages } from '../../platform/errors.ts'

export const firmwareProblems: ProblemPages = {
  'firmware-not-found': { title: 'No such firmware', advice: 'GET …/firmwares lists them.' },
  'firmware-slug-taken': { title: 'The slug is taken', advice: 'Slugs are unique in a workspace.' },
  'firmware-in-use': {
    title: 'The firmware is in use',
    advice:
      'Devices run a version of it, or a deployment uses one. POST …/devices/list with `firmwareIds` lists the devices.',
  },
  'badge-not-found': {
    title: 'No such badge',
    advice: 'GET …/firmware-versions/{firmwareVersionId}/badge answers the address of a badge.',
  },
  'firmware-version-not-found': {
    title: 'No such firmware version',
    advice: 'GET …/firmwares/{firmwareId}/versions lists them.',
  },
  'firmware-version-name-taken': {
    title: 'The version name is taken',
    advice: 'Version names are unique within a firmware.',
  },
  'firmware-version-build-id-taken': {
    title: 'The build id is taken',
    advice: 'Build ids are unique in a workspace. Look for the version that has it.',
  },
  'release-line-stated': {
    title: 'Versions are stated to belong to the release line',
    advice:
      'Change these versions first (`statedLineId`), or keep the line. GET …/firmwares/{firmwareId}/versions says which they are.',
  },
  'firmware-version-in-use': {
    title: 'The firmware version is in use',
    advice:
      'Devices run it, or a deployment uses it. POST …/devices/list with `firmwareVersionIds` lists the devices.',
  },
}
