import type { Artifact } from '../../../api-client/src/index.ts'
import type { Command } from 'commander'
import { uploadArtifact } from '../artifact-upload.ts'
import { usageError } from '../failure.ts'
import { findStatedVersionId } from '../firmware-version.ts'
import { findUploadFile } from '../multipart.ts'
import { readPositive } from '../option-values.ts'
import { printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { createProgress } from '../progress.ts'
import { type ConnectionOptions, withConnection, openSession } from '../session.ts'
import { getTerminal } from '../terminal.ts'
import { addArtifactSignatures } from './artifact-signature.ts'
import { addArtifactVerify } from './artifact-verify.ts'

const MEBIBYTE = 1024 * 1024

interface UploadOptions extends ConnectionOptions {
  fileName?: string
  partSize: number
}

export function addArtifactCommands(program: Command): void {
  const artifact = program.command('artifact').description('The binary of a firmware version')

  withConnection(artifact.command('upload'))
    .description('Upload the binary for devices; an interrupted upload continues')
    .argument('<version>', 'id of the firmware version, or slug@name')
    .argument('<file>', 'the binary, as devices are to get it')
    .option('--file-name <name>', 'what it is called on devices (default: that of the file)')
    .option(
      '--part-size <mebibytes>',
      'larger files are sent in parts of this size',
      readPositive,
      32,
    )
    .action(upload)
  addArtifactVerify(artifact)
  addArtifactSignatures(artifact)
}

async function upload(version: string, path: string, options: UploadOptions): Promise<void> {
  const found = await findUploadFile(path)
  if (found.sizeBytes === 0) throw usageError(`${path} is empty: there is nothing to install.`)
  const file = { ...found, name: options.fileName ?? found.name }
  const session = await openSession(options)
  const firmwareVersionId = await findStatedVersionId(session, version)
  const progress = createProgress(getTerminal().stderr)
  try {
    const partBytes = Math.ceil(options.partSize * MEBIBYTE)
    const sending = { firmwareVersionId, file, partBytes, onSent: progress.sent }
    const artifact = await uploadArtifact(session, sending)
    progress.end()
    if (options.json) printJson(artifact)
    else printArtifact(artifact)
  } finally {
    progress.end()
  }
}

function printArtifact({ fileName, sizeBytes, sha256 }: Artifact): void {
  printLine(`${sanitise(fileName)}: ${sizeBytes} bytes, SHA-256 ${sha256}`)
}
