/** Whom findings belong to: teams, and the rules that give findings to members and teams. */
export {
  addOwners,
  type Owner,
  findOwned,
  installOwnerNames,
  listOwningMembers,
  readOwnersOfVersion,
} from './findings-service.ts'
export { registerOwnerRoutes } from './routes.ts'
export {
  ownerFields,
  ownerFilterFields,
  OwnerCounts,
  OwnerShape,
  OwnersPreview,
  type OwnersCommand,
  ReplaceOwnerRulesCommand,
} from './schemas.ts'
export { handOverOwned, listHoldingRules, type HoldingRule, readHoldingRules } from './service.ts'
export { isOwnedBy, listAssigned, type OwnedScope } from './store.ts'
