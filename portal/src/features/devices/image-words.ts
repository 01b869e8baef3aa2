/** What a device says of the image that it runs, in words. */
import type { Device } from '@plimsoll/api-client'

type ImageState = Device['firmware'][number]['image']['state']

export const IMAGE_WORDS: Record<ImageState, { short: string; sentence: string }> = {
  Proved: { short: 'image proved', sentence: 'its hash is that of the image of this version' },
  NotReported: { short: 'image not reported', sentence: 'it does not report which image runs' },
  NotAHash: {
    short: 'not a hash',
    sentence: 'what it reports as the hash of the image is no SHA-256, SHA-384 or SHA-512',
  },
  OtherImage: { short: 'another image', sentence: 'it reports the image of another version' },
  UnknownImage: { short: 'unknown image', sentence: 'it reports an image that nobody uploaded' },
}
