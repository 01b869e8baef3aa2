export { incidentChecks } from './checks-store.ts'
export { summariseFiringAlerts } from './firing-store.ts'
export { incidentJobs, incidentMessages } from './jobs.ts'
export { handOverIncidents, releaseIncidentsOfMember } from './handling/service.ts'
export { noteForOwners } from './owner-mails/store.ts'
export { tellFindingOwners } from './owner-mails/service.ts'
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
