-- What was decided about this finding before, and holds no longer; null once somebody has looked at it again.
alter table finding_decisions add column previous_decision jsonb;
