/** What an upload replaces of its firmware version: asked before, told after. */
import { open } from 'node:fs/promises'
import { readDocumentName, type SbomReplacementPreview } from '../../api-client/src/index.ts'
import { isInteractive } from './ask.ts'
import { confirm, type ConfirmOptions } from './confirm.ts'
import type { UploadFile } from './multipart.ts'
import { note, formatCount } from './print.ts'
import { sanitise } from './printable.ts'
import type { Session } from './session.ts'

export const REPLACEMENTS = ['serial', 'file', 'all'] as const
export type Replacement = (typeof REPLACEMENTS)[number]

/** `--replace` alone means `file`, also before the name of a file, which would be taken for its value. */
export function withReplacement(args: readonly string[]): string[] {
  const isWord = (text: string | undefined) => REPLACEMENTS.some((word) => word === text)
  return args.map((arg, index) =>
    arg === '--replace' && !isWord(args[index + 1]) ? '--replace=file' : arg,
  )
}

export async function previewReplacement(
  { client, workspaceId }: Session,
  firmwareVersionId: string,
  { replace, files }: { replace: Replacement; files: readonly UploadFile[] },
): Promise<SbomReplacementPreview> {
  const documents = await Promise.all(files.map(({ path }) => nameOfDocument(path)))
  return client.post(
    '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/sboms/replacement-preview',
    {
      params: { workspaceId, firmwareVersionId },
      body: {
        replace,
        fileNames: files.map(({ name }) => name),
        documents: documents.filter((name) => name !== undefined),
      },
    },
  )
}

export function previewText({ sboms, remainingSbomCount }: SbomReplacementPreview): string {
  if (sboms.length === 0) return `Replaces no SBOM; ${remainingSbomCount} stay.`
  const components = sboms.reduce((sum, { componentCount }) => sum + componentCount, 0)
  const shown = sboms.slice(0, MOST_NAMES).map(({ fileName }) => sanitise(fileName))
  const more = sboms.length > MOST_NAMES ? `, … ${sboms.length - MOST_NAMES} more` : ''
  return `Replaces ${formatCount(sboms.length, 'SBOM')} with ${formatCount(components, 'component')} (${shown.join(', ')}${more}); ${remainingSbomCount} stay.`
}

const MOST_NAMES = 5

/** Asks the person at a terminal; a pipeline is only told. */
export async function confirmReplacement(
  preview: SbomReplacementPreview,
  options: ConfirmOptions,
): Promise<void> {
  const text = previewText(preview)
  if (preview.sboms.length === 0 || options.yes === true || !isInteractive()) note(text)
  else await confirm(`${text} Decisions stay. Upload?`, options)
}

const HEAD_BYTES = 256 * 1024

/**
 * What a document calls itself, where that stands near its beginning: the service reads it for sure, and only shows less
 * before the upload where this finds nothing.
 */
async function nameOfDocument(path: string): Promise<string | undefined> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return readDocumentName(buffer.subarray(0, bytesRead).toString())
  } finally {
    await file.close()
  }
}
