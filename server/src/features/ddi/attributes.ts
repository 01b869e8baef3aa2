/** The attributes that a hawkBit client sends as configData, and the running firmware that they name. */
import { createHash } from 'node:crypto'
import { decodeDeviceMessage } from '../../formats/device-messages/decode.ts'
import { LIMITS as MESSAGE_LIMITS } from '../../formats/device-messages/limits.ts'
import { MalformedMessage } from '../../formats/device-messages/malformed.ts'
import type { DeviceMessage } from '../../formats/device-messages/model.ts'
import { cleanName } from '../../formats/one-line-name.ts'
import { invalid } from '../../platform/errors.ts'
import { cutText } from '../../formats/shorten.ts'

export type Attributes = Readonly<Record<string, string>>

const MODES = ['merge', 'replace', 'remove'] as const
type AttributeMode = (typeof MODES)[number]

export interface ConfigData {
  mode: AttributeMode
  data: Attributes
}

/** hawkBit allows as many attributes, with names and values of up to 128 characters. */
const LIMITS = { attributes: 100, nameCharacters: 128, valueCharacters: 1_024 }

/** Ignores members other than `mode` and `data`, which belong to older versions of the protocol. */
export function readConfigData(body: unknown): ConfigData {
  const { mode = 'merge', data } = asObject(body, '')
  const known = MODES.find((one) => one === mode)
  if (known === undefined) throw invalid(`mode must be one of ${MODES.join(', ')}.`, '/mode')
  const entries = Object.entries(asObject(data, '/data'))
  if (entries.length > LIMITS.attributes)
    throw invalid(`A device has at most ${LIMITS.attributes} attributes.`, '/data')
  return { mode: known, data: Object.fromEntries(entries.map(readAttribute)) }
}

function asObject(value: unknown, pointer: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(`${pointer || 'The body'} must be an object.`, pointer)
  return value as Record<string, unknown>
}

function readAttribute([name, value]: [string, unknown]): [string, string] {
  const pointer = `/data/${cutText(name, 128)}`
  // Like hawkBit, takes numbers and booleans as text.
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
  if (typeof text !== 'string') throw invalid('An attribute must be a text.', pointer)
  const isLong = name.length > LIMITS.nameCharacters || text.length > LIMITS.valueCharacters
  if (name === '' || isLong)
    throw invalid(
      `An attribute has a name of at most ${LIMITS.nameCharacters} characters and a value of at most ${LIMITS.valueCharacters}.`,
      pointer,
    )
  if (!isStorable(name) || !isStorable(text))
    throw invalid('An attribute contains an invalid character.', pointer)
  return [name, text]
}

function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed()
}

export function applyConfigData(known: Attributes, { mode, data }: ConfigData): Attributes {
  if (mode === 'replace') return data
  const after =
    mode === 'merge'
      ? { ...known, ...data }
      : Object.fromEntries(Object.entries(known).filter(([name]) => !Object.hasOwn(data, name)))
  if (Object.keys(after).length > LIMITS.attributes)
    throw invalid(`A device has at most ${LIMITS.attributes} attributes.`, '/data')
  return after
}

interface VersionRule {
  /** The workspace's setting. null: firmware.<slug>, else version. */
  versionAttribute: string | null
  /** The firmware of a version without a slug; undefined: ambiguous. */
  slug: string | undefined
}

const NAMED = 'firmware.'

/** Empty when the attributes name no version. Texts longer than the limit of the other doors do not count. */
export function readReportedFirmware(
  attributes: Attributes,
  { versionAttribute, slug }: VersionRule,
): { slug: string; version: string }[] {
  const single = (name: string) => {
    const version = Object.hasOwn(attributes, name) ? cleanName(attributes[name] ?? '').trim() : ''
    return isVersion(version) && slug !== undefined ? [{ slug, version }] : []
  }
  if (versionAttribute !== null) return single(versionAttribute)
  const named = Object.entries(attributes).flatMap(([name, value]) => {
    const version = cleanName(value).trim()
    const isNamed = name.startsWith(NAMED) && name.length > NAMED.length
    return isNamed && isVersion(version) ? [{ slug: name.slice(NAMED.length), version }] : []
  })
  return named.length > 0 ? named : single('version')
}

function isVersion(text: string): boolean {
  return text !== '' && text.length <= MESSAGE_LIMITS.versionCharacters
}

export const hashCrash = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The attribute `crash`: a crash as behind the other doors, as JSON. One that is malformed is counted as such. */
export function readCrash(text: string): DeviceMessage {
  try {
    return decodeDeviceMessage('crashes', Buffer.from(`[${text}]`), 'json')
  } catch (error) {
    if (!(error instanceof MalformedMessage)) throw error
    return { kind: 'crashes', crashes: [], malformedCount: 1, faults: error.faults }
  }
}
