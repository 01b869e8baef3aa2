/** Formats that are recognised by their first bytes and not checked: each says why, and what to do instead. */
import { describeImage, type ImageFacts, NOTHING_STATED } from './image-facts.ts'

const ADVICE = 'Put a signature beside the file, which covers all of it.'

const explain = (what: string, why: string) =>
  `${what}: recognised, not checked, because ${why}. ${ADVICE}`

/** `start`: at least 2 KiB, or the whole file. undefined: none of these. */
export function recogniseUnchecked(start: Buffer): ImageFacts | undefined {
  for (const read of READERS) {
    const found = read(start)
    if (found) return found
  }
  return undefined
}

const beginsWith = (start: Buffer, hex: string, at = 0) =>
  start.subarray(at).toString('hex', 0, hex.length / 2) === hex

const READERS: readonly ((start: Buffer) => ImageFacts | undefined)[] = [
  readFlatTree,
  readLegacy,
  readUf2,
  readSparse,
  readEsp,
  readOther,
]

/** The tree of a FIT image has a node `images` (https://fitspec.osfw.foundation/); any other one describes hardware. */
function readFlatTree(start: Buffer): ImageFacts | undefined {
  if (!beginsWith(start, 'd00dfeed')) return undefined
  if (!start.includes('\0\0\0\x01images\0', 0, 'latin1'))
    return describeOther('a device tree', 'it holds no signature of its own')
  return describeImage('FIT', {
    obstacle: explain(
      'A FIT image of U-Boot',
      'its signatures cover nodes that only the control tree of the device chooses',
    ),
  })
}

/** https://github.com/u-boot/u-boot/blob/v2025.01/include/image.h#L314 */
function readLegacy(start: Buffer): ImageFacts | undefined {
  return beginsWith(start, '27051956')
    ? describeImage('UImage', {
        obstacle: explain('A legacy image of U-Boot (uImage)', 'it has checksums and no signature'),
      })
    : undefined
}

/** https://github.com/microsoft/uf2#file-format */
function readUf2(start: Buffer): ImageFacts | undefined {
  return beginsWith(start, '5546320a57515d9e') && beginsWith(start, '306fb10a', 508)
    ? describeImage('UF2', {
        obstacle: explain('A UF2 file', 'its blocks have no signature'),
      })
    : undefined
}

/** https://android.googlesource.com/platform/system/core/+/refs/heads/main/libsparse/sparse_format.h */
function readSparse(start: Buffer): ImageFacts | undefined {
  return beginsWith(start, '3aff26ed0100')
    ? describeImage('AndroidSparse', {
        obstacle: explain('A sparse image of Android', 'it has no signature of its own'),
      })
    : undefined
}

const ESP_DESCRIPTION = 32

/** https://docs.espressif.com/projects/esp-idf/en/v5.4/esp32/api-reference/system/app_image_format.html */
function readEsp(start: Buffer): ImageFacts | undefined {
  const isApplication = beginsWith(start, '3254cdab', ESP_DESCRIPTION)
  const segments = start[1] ?? 0
  if (start[0] !== 0xe9 || segments < 1 || segments > 16 || !isApplication) return undefined
  const version = start.toString('utf8', 48, 80).split('\0')[0] ?? ''
  return describeImage('ESP-IDF', {
    statement: {
      ...NOTHING_STATED,
      version: version === '' || version.includes('\uFFFD') ? null : version,
      securityCounter: start.readUInt32LE(36),
    },
    obstacle: explain(
      'An image of ESP-IDF',
      'the signature blocks of Espressif’s secure boot are not read here',
    ),
  })
}

/** Files that people upload as images and that no device checks by themselves. */
const OTHERS: readonly (readonly [string, string, number?])[] = [
  ['a squashfs', '68737173'],
  ['a file packed by gzip', '1f8b08'],
  ['a file packed by xz', 'fd377a585a00'],
  ['a file packed by zstd', '28b52ffd'],
  ['a file packed by bzip2', '425a68'],
  ['a ZIP archive', '504b0304'],
  ['a cpio archive', '303730373031'],
  ['a cpio archive', '303730373032'],
  ['an ELF program', '7f454c46'],
  ['a boot image of Android', '414e44524f494421'],
  ['an update payload of Android', '43724155'],
  ['an ext4 file system', '53ef', 1080],
  ['a disk image', '4546492050415254', 512],
  ['a disk image', '55aa', 510],
]

function readOther(start: Buffer): ImageFacts | undefined {
  const found = OTHERS.find(([, hex, at]) => beginsWith(start, hex, at))
  if (found) return describeOther(found[0], 'it holds no signature that is read here')
  return /^:[0-9A-F]{8}(?:[0-9A-F]{2})+\r?\n:/.test(start.toString('latin1', 0, 600))
    ? describeOther('a file in Intel HEX', 'it holds no signature of its own')
    : undefined
}

function describeOther(what: string, why: string): ImageFacts {
  const first = what.slice(0, 1).toUpperCase() + what.slice(1)
  return describeImage('Other', {
    variant: what.replace(/^an? /, ''),
    obstacle: explain(first, why),
  })
}
