/** Customers, what they see of their devices, and documents at addresses that stay (decision 106). */
export { customerChecks } from './checks-service.ts'
export { registerStandingAddressRoutes } from './documents/routes.ts'
export { customerProblems } from './problems.ts'
export { placeDevicesOfCustomers, removeDevicesOfCustomers } from './reactions-service.ts'
export { registerCustomerRoutes } from './routes.ts'
export { registerCustomerPageRoutes } from './view/routes.ts'
