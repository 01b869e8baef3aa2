/**
 * The release of Linux that a version or tag of a kernel names. Vendors tag kernels with the number of their board support package, which is
 * none of Linux: `linux4microchip-2023.04` is Linux 6.1.22, `xilinx-v2022.2` is 5.15.36.
 */
import { normaliseVersion } from '../versions/normalise.ts'

/**
 * The newest major number that a kernel can have, so that no number of a board support package is taken for one. Linux 7.0 came in 2026, and a
 * major number lasts three to four years (https://www.kernel.org/category/releases.html): raise it with 8.0. Until then a newer kernel is not
 * judged, and the service says so.
 */
export const NEWEST_MAJOR = 7

/**
 * What may stand before the number of a kernel: nothing, `v`, the name, and the tags of vendors who keep the number of Linux: NXP
 * (`lf-6.6.52-2.2.0`, `rel_imx_5.4.24_2.1.0`, `L5.4.24_2.1.0`), Intel (`socfpga-5.4.124-lts`), Xilinx (`xlnx_rebase_v5.15_2022.2`). A number behind
 * any other word may be the vendor's own: `linux4sam_5.8`, `rcar-5.1.7`.
 */
const BEFORE =
  /^(?:refs\/tags\/|\d{1,2}:)?(?:linux(?:[-_ ](?:version|image|headers|stable|lts|mainline|yocto|imx|fslc))?[-_ ]|kernel[-_ ]|lf-|(?:rel_)?imx_|l(?=\d)|socfpga-|xlnx_rebase_|lts-|stable-)?v?(?=\d)/i
/** Without zeros before a number: `09.01.00.008` and `21.08` are of other products. */
const RELEASE =
  /^(?:[1-9]\d?)(?:\.(?:0|[1-9]\d{0,2}))+(?:-?(?:rc|pre|test)\d+)?(?=$|[-+_~\s]|\.(?!\d|[xy](?:$|[-_])))/i

/** undefined: the text names no release, such as a branch (`6.6.y`). */
export function readKernelRelease(text: string): string | undefined {
  const start = BEFORE.exec(text)?.[0].length
  if (start === undefined) return undefined
  const version = text.slice(start)
  const isPlausible = RELEASE.test(version) && Number.parseInt(version, 10) <= NEWEST_MAJOR
  return isPlausible ? normaliseVersion(version) : undefined
}
