/** Sentences of the audit log about firmwares, what is in them, and what is known of it. */
import { type ActTeller, tellAs } from './kinds.ts'
import {
  listChanged,
  formatCounted,
  describeSelector,
  write,
  readText,
  readTexts,
  nameThe,
  type Facts,
} from './telling.ts'

const firmware = tellAs('Firmware')
const source = tellAs('Source')

export const FIRMWARE_SENTENCES = {
  'firmware-artifact.delete': firmware(
    (it) =>
      write`deleted the update file ${readText(it.before['fileName'])} of ${nameThe(it, 'firmware-version')}`,
  ),
  'firmware-artifact.upload': firmware(
    (it) =>
      write`uploaded the update file ${readText(it.after['fileName'])} of ${nameThe(it, 'firmware-version')}`,
  ),
  'artifact-signature.create': firmware(
    (it) =>
      write`put the signature ${readText(it.after['fileName'])} beside the update file of ${nameThe(it, 'firmware-version')}`,
  ),
  'artifact-signature.delete': firmware(
    (it) =>
      write`took away the signature ${readText(it.before['fileName'])} of the update file of ${nameThe(it, 'firmware-version')}`,
  ),
  'provenance-statement.create': firmware(
    (it) =>
      write`put the statement ${readText(it.after['fileName'])} beside the files of ${nameThe(it, 'firmware-version')}`,
  ),
  'provenance-statement.delete': firmware(
    (it) =>
      write`deleted the statement ${readText(it.before['fileName'])} about the files of ${nameThe(it, 'firmware-version')}`,
  ),
  'artifact-address.create': firmware(
    (it) =>
      write`made a standing address of the ${readText(it.after['role'])} file of ${nameThe(it, 'firmware-version')}`,
  ),
  'artifact-address.delete': firmware(
    (it) =>
      write`revoked a standing address of the ${readText(it.before['role'])} file of ${nameThe(it, 'firmware-version')}, used ${formatCounted(it.before['uses'], 'time')}`,
  ),
  'firmware-version.create': firmware(
    (it) => write`created the firmware version ${nameThe(it, 'firmware-version')}`,
  ),
  'firmware-version.delete': firmware(
    (it) => write`deleted the firmware version ${nameThe(it, 'firmware-version')}`,
  ),
  'firmware-version.update': firmware(
    (it) =>
      write`changed ${listChanged(it)} of the firmware version ${nameThe(it, 'firmware-version')}`,
  ),
  'firmware.create': firmware((it) => write`created the firmware ${nameThe(it, 'firmware')}`),
  'firmware.delete': firmware(
    (it) =>
      write`deleted the firmware ${nameThe(it, 'firmware')} with ${formatCounted(readTexts(it.before['versions']).length, 'version')}`,
  ),
  'firmware.licence-rules': firmware((it) =>
    it.after['rules'] === null
      ? write`had the licence rules of the workspace hold for the firmware ${nameThe(it, 'firmware')}`
      : write`changed which licences may ship in the firmware ${nameThe(it, 'firmware')}`,
  ),
  'firmware.lines': firmware(
    (it) =>
      write`replaced the release lines of the firmware ${nameThe(it, 'firmware')}, which moved ${formatCounted(it.after['movedVersions'], 'version')}`,
  ),
  'firmware.update': firmware(
    (it) => write`changed ${listChanged(it)} of the firmware ${nameThe(it, 'firmware')}`,
  ),
  'package-override.create': firmware((it) => write`overrode what ${theOverride(it)} is`),
  'package-override.delete': firmware((it) => write`deleted the override of ${theOverride(it)}`),
  'package-override.update': firmware(
    (it) => write`changed ${listChanged(it)} of the override of ${theOverride(it)}`,
  ),
  'support-statement.create': firmware(
    (it) => write`stated the end of support of ${describeStated(it.after)}`,
  ),
  'support-statement.delete': firmware(
    (it) => write`deleted the stated end of support of ${describeStated(it.before)}`,
  ),
  'support-statement.update': firmware(
    (it) =>
      write`changed ${listChanged(it)} of the stated end of support of ${describeStated(it.after)}`,
  ),
  'sbom-signature.create': firmware(
    (it) => write`put the signature ${readText(it.after['fileName'])} beside an SBOM`,
  ),
  'sbom-signature.delete': firmware(
    (it) => write`took away the signature ${readText(it.before['fileName'])} of an SBOM`,
  ),
  'sbom.delete': firmware((it) => write`deleted ${theSbom(it, it.before)}`),
  'sbom.reparse': firmware((it) =>
    it.resourceType === 'sbom'
      ? write`had ${theSbom(it, it.after)} read again`
      : write`had ${formatCounted(it.after['sbomCount'], 'SBOM')} read again`,
  ),
  'sbom.replace': firmware((it) => write`replaced ${theSbom(it, it.before)} with a newer one`),
  'sbom.source-files.delete': firmware(
    (it) =>
      write`deleted the list of source files of a component of ${nameThe(it, 'firmware-version')}`,
  ),
  'sbom.source-files.replace': firmware(
    (it) =>
      write`stated ${formatCounted(it.after['fileCount'], 'source file')} of a component of ${nameThe(it, 'firmware-version')}`,
  ),
  'sbom.upload': firmware((it) => write`added ${theSbom(it, it.after)}`),
  'vulnerability-source.import': source(
    (it) => write`carried in the file ${readText(it.after['fileName'])} of a vulnerability source`,
  ),
  'vulnerability-source.sync': source((it) => write`asked to read the source ${it.resourceId} now`),
} satisfies Record<string, ActTeller>

const theSbom = (it: Facts, fields: Facts['after']) =>
  write`the SBOM ${readText(fields['fileName'])} of ${nameThe(it, 'firmware-version')}`

const describeStated = (fields: Facts['after']) =>
  readText(fields['name'] ?? fields['purl'], 'a component')

const theOverride = (it: Facts) => {
  const [name] = it.subjects.get('package-override')?.first ?? []
  if (name?.name) return nameThe(it, 'package-override')
  const selector = describeSelector({ ...it.before, ...it.after })
  return selector === '' ? nameThe(it, 'package-override') : write`${selector}`
}
