-- Decided: the findings that fired were decided, and some of them are still there.
alter table alert_incidents drop constraint alert_incidents_ended_cause_check;
alter table alert_incidents add constraint alert_incidents_ended_cause_check
  check (ended_cause in ('Recovered', 'Decided', 'NoData', 'RuleChanged', 'RuleDisabled', 'RuleDeleted'));
