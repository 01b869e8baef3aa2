export { incidentChecks } from './checks-store.ts'
export { sendReminders } from './reminders/service.ts'
export { alertIncidentRoutes, incidentPageRoute } from './routes.ts'
export { incidentProblems } from './problems.ts'
export {
  beginIncidents,
  endIncidents,
  endInterruptedIncident,
  rescheduleReminder,
} from './service.ts'
