export { incidentChecks } from './checks-store.ts'
export { summariseFiringAlerts } from './firing-store.ts'
export { incidentJobs, IncidentAssignmentToSend } from './handling/mails-service.ts'
export { releaseIncidentsOfMember } from './handling/service.ts'
export { sendReminders } from './reminders/service.ts'
export { registerAlertIncidentRoutes, registerIncidentPageRoute } from './routes.ts'
export { incidentProblems } from './problems.ts'
export { ListAlertIncidentsCommand } from './schemas.ts'
export type { EndedIncident } from './store.ts'
export { notifyIncidents } from './notices/service.ts'
export {
  beginIncidents,
  endIncidents,
  endInterruptedIncident,
  listIncidents,
  rescheduleReminder,
} from './service.ts'
