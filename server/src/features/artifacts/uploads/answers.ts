/** How an upload is answered, that of the image and those of other files. */
import type { FastifyReply } from 'fastify'
import { AppError } from '../../../platform/errors.ts'
import type { SavedFile, UploadOutcome } from './parts-service.ts'
import type { UploadRow } from './store.ts'

export function answerUpload<Saved extends SavedFile>(
  reply: FastifyReply,
  outcome: UploadOutcome<Saved>,
  show: (artifact: Saved['artifact']) => object,
): FastifyReply {
  if (outcome.kind === 'saved')
    return reply.code(outcome.isNew ? 201 : 200).send(show(outcome.artifact))
  void reply.header('upload-offset', outcome.upload.receivedBytes)
  if (outcome.kind === 'wrongOffset') throw offsetWrong(outcome.upload)
  return reply.code(202).send(showUpload(outcome.upload))
}

export function showUpload(upload: UploadRow) {
  const { id, fileName, receivedBytes, totalBytes, reprDigest, createdAt, expiresAt } = upload
  return { uploadId: id, fileName, receivedBytes, totalBytes, reprDigest, createdAt, expiresAt }
}

function offsetWrong({ receivedBytes }: UploadRow): AppError {
  const detail = `The upload has ${receivedBytes} bytes. Continue from there.`
  return new AppError('conflict', 'artifact-offset-wrong', detail)
}
