/** Whom findings belong to: teams, and the rules that give findings to members and teams. */
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
export {
  addOwners,
  type Owner,
  findOwned,
  installOwnerNames,
  listHoldingRules,
  type HoldingRule,
  readHoldingRules,
} from './service.ts'
export { isOwnedBy, listAssigned, type OwnedScope } from './store.ts'
