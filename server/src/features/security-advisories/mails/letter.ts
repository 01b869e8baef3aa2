/** The mail of a revision, made of the document as it was published. */
import {
  isObject,
  listObjects,
  type JsonObject,
  readText,
} from '../../../formats/sboms/json-values.ts'
import { renderHtml } from '../../../platform/html.ts'
import { cleanLine } from '../../../platform/plain-line.ts'
import type { Letter } from '../../../platform/mail/letter.ts'
import { readProductNames, REMEDIES } from '../pages.ts'

interface AdvisoryLetter {
  document: JsonObject
  isWithdrawal: boolean
  /** undefined: it is not public. */
  pageUrl: string | undefined
  unsubscribeUrl: string
}

const MOST_SUBJECT_CHARACTERS = 200

export function writeAdvisoryLetter(given: AdvisoryLetter): Letter {
  const { document: csaf, isWithdrawal, pageUrl, unsubscribeUrl } = given
  const head = readMember(csaf, 'document')
  const tracking = readMember(head, 'tracking')
  const publisher = readMember(head, 'publisher')
  const name = readString(publisher, 'name')
  const id = readString(tracking, 'id')
  const title = readString(head, 'title')
  const revision = readString(tracking, 'version')
  const contact = readString(publisher, 'contact_details')
  const paragraphs = [
    `${name} tells you of security advisory ${id}, revision ${revision}, as a contact for devices that ${isWithdrawal ? 'an earlier revision was about' : 'run affected versions, or because you were told of an earlier revision'}.`,
    title,
    ...listObjects(head['notes']).map((note) => readString(note, 'text')),
    ...describeVulnerabilities(csaf),
    ...(contact === '' ? [] : [`Contact: ${contact}`]),
  ]
  const links = [
    ...(pageUrl === undefined ? [] : [{ label: 'The advisory', url: pageUrl }]),
    { label: `No more mails of advisories of ${name}`, url: unsubscribeUrl },
  ]
  return {
    subject: cleanLine(`Security advisory ${id}: ${title}`, MOST_SUBJECT_CHARACTERS),
    text: [...paragraphs, ...links.map(({ label, url }) => `${label}: ${url}`)].join('\n\n'),
    html: String(renderHtml`<!doctype html><html lang="en"><meta charset="utf-8">
<body style="font:16px/1.5 system-ui,sans-serif;color:#1a2733;max-width:36rem">
${paragraphs.map((text) => renderHtml`<p style="white-space:pre-line"><bdi>${text}</bdi></p>`)}
${links.map(({ label, url }) => renderHtml`<p><a href="${url}">${label}</a></p>`)}
</body></html>`),
  }
}

function describeVulnerabilities(csaf: JsonObject): string[] {
  const names = readProductNames(csaf['product_tree'])
  const nameAll = (refs: unknown) =>
    (Array.isArray(refs) ? refs : []).map((ref) => names.get(String(ref)) ?? String(ref)).join(', ')
  return listObjects(csaf['vulnerabilities']).map((one) => {
    const [named] = listObjects(one['ids'])
    const id = readText(one['cve']) ?? (named ? readString(named, 'text') : '')
    const affected = nameAll(readMember(one, 'product_status')['known_affected'])
    return [
      [id, readString(one, 'title')].filter((text) => text !== '').join(': '),
      ...(affected === '' ? [] : [`Affected: ${affected}`]),
      ...listObjects(one['remediations']).map((remedy) =>
        [
          `${REMEDIES[readString(remedy, 'category')] ?? 'What to do'}, for ${nameAll(remedy['product_ids'])}: ${readString(remedy, 'details')}`,
          readString(remedy, 'url'),
        ]
          .filter((text) => text !== '')
          .join(' '),
      ),
    ].join('\n')
  })
}

function readMember(value: JsonObject, name: string): JsonObject {
  const member = value[name]
  return isObject(member) ? member : {}
}

const readString = (value: JsonObject, name: string): string => readText(value[name]) ?? ''
