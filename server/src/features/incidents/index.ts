export { sendReminders } from './reminders-service.ts'
export { alertIncidentRoutes, incidentPageRoute } from './routes.ts'
export { beginIncidents, endIncidents, ruleReactions } from './service.ts'
export { incidentProblems } from './problems.ts'
