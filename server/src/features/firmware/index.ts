export {
  type AffectedDevices,
  listAffectedDevices,
  NO_AFFECTED_DEVICES,
  readAffectedDevices,
  sumDeviceCounts,
} from './affected-devices-store.ts'
export { registerBadgeImageRoute } from './badge/routes.ts'
export { DecidedLine as DecidedLineSchema, LineOfVersion } from './lines/schemas.ts'
export {
  type DecidedLine,
  describeDecidedLine,
  describeLineOf,
  findPredecessorOf,
  isNewestOfLine,
  listLines,
} from './lines/store.ts'
export { type GateFacts, type Mark, decideMark, UNKNOWN_MARK } from './mark/mark.ts'
export { listMarks, type MarkReader, readMark } from './mark/service.ts'
export { readMarkFacts, markValues, readSboms } from './mark/store.ts'
export type { VersionsNamed } from './reactions.ts'
export { registerFirmwareRoutes } from './routes.ts'
export { listPastSupport, listSupportNotes } from './support-period/store.ts'
export {
  affectedDevicesFields,
  firmwareMessages,
  FirmwareReference,
  FirmwareVersionReference,
  FirmwareVersionsDeleted,
  Mark as MarkSchema,
  MarkedVersionReference,
} from './schemas.ts'
export { getFirmware, getFirmwareVersion } from './service.ts'
export {
  holdFirmwareVersion,
  lockFirmwareVersion,
  lockFirmwareVersions,
  lockVersionNames,
  selectVersions,
  shareVersionNames,
} from './store.ts'
export { firmwareProblems } from './problems.ts'
export { createUnkeptVersion } from './version-service.ts'
