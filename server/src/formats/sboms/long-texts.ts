/** Shortens texts that are too long for names: the longest of 1,600 real SBOMs has 286 characters. */
import type { DeclaredComponent } from './model.ts'
import { quote, type Warnings } from './warnings.ts'
import { shortenText } from '../shorten.ts'

/** PostgreSQL cannot index texts of more than about 2,700 bytes. */
const MAX_LENGTH = 2_000

export function leaveOutLongTexts(component: DeclaredComponent, faults: Warnings): void {
  const { packageName, version, vendor, purl, cpes, supplier, downloadLocation, ref } = component
  const { addresses = [] } = component
  if (
    !isLong(packageName) &&
    !isLong(version) &&
    !isLong(vendor) &&
    !isLong(purl) &&
    !isLong(supplier) &&
    !isLong(downloadLocation) &&
    !isLong(ref) &&
    ![...cpes, ...addresses].some(isLong)
  )
    return
  faults.add(
    `Text of more than ${MAX_LENGTH} characters, left out or shortened`,
    quote(packageName),
  )
  component.packageName = shortenText(packageName, MAX_LENGTH)
  component.version = short(version)
  component.vendor = short(vendor)
  component.purl = short(purl)
  component.supplier = short(supplier)
  component.downloadLocation = short(downloadLocation)
  component.ref = short(ref)
  component.cpes = cpes.filter((cpe) => !isLong(cpe))
  if (addresses.length > 0) component.addresses = addresses.filter((address) => !isLong(address))
}

function isLong(text: string | undefined): boolean {
  return text !== undefined && text.length > MAX_LENGTH
}

function short(text: string | undefined): string | undefined {
  return isLong(text) ? undefined : text
}
