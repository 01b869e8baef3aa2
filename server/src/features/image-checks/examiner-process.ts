/** Runs in a child process: hashes and reads one image after the other, so that the service goes on answering meanwhile. */
import { parseDetachedSignature } from '../../formats/images/detached-signature.ts'
import { examineImage } from '../../formats/images/examine-image.ts'
import type { ImageFacts } from '../../formats/images/image-facts.ts'
import { type PlainKeys, readPlainKeys } from '../../formats/images/public-keys.ts'
import { serveTasks } from '../../platform/child-pool.ts'
import { type ImageSource, openImage } from './image-source.ts'

export interface ImageTask extends PlainKeys {
  source: ImageSource
  sizeBytes: number
  /** Signatures beside the image. */
  beside: readonly string[]
}

async function* examine(task: ImageTask): AsyncGenerator<ImageFacts> {
  const image = openImage(task.source, task.sizeBytes)
  yield await examineImage(image, readPlainKeys(task), task.beside.map(parseDetachedSignature))
}

serveTasks((task) => examine(task as ImageTask))
